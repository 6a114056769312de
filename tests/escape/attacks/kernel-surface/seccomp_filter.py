# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("seccomp", 1, 0, ctypes.create_string_buffer(16))
