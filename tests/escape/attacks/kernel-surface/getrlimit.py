# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("getrlimit", 7, ctypes.create_string_buffer(16))
