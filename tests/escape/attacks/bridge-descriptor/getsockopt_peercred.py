# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("getsockopt", 3, 1, 17, ctypes.create_string_buffer(12), ctypes.create_string_buffer(b"\x0c\0\0\0"))
