# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("setitimer", 0, ctypes.create_string_buffer(32), 0)
