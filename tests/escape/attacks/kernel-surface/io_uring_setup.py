# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("io_uring_setup", 1, ctypes.create_string_buffer(120))
