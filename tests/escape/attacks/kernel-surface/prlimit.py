# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("prlimit64", 0, 9, ctypes.create_string_buffer(b"\xff" * 16), 0)
