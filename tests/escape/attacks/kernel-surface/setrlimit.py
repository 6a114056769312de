# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("setrlimit", 9, ctypes.create_string_buffer(b"\xff" * 16))
