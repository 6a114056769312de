# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("landlock_create_ruleset", ctypes.create_string_buffer(8), 8, 0)
