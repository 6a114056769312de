# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("setsockopt", 3, 1, 16, ctypes.create_string_buffer(b"\1\0\0\0"), 4)
