# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("getsockopt", 3, 1, 77, ctypes.create_string_buffer(4), ctypes.create_string_buffer(b"\4\0\0\0"))
