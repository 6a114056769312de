# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("timer_create", 0, 0, ctypes.create_string_buffer(8))
