# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("getpeername", 3, ctypes.create_string_buffer(128), ctypes.create_string_buffer(b"\x80\0\0\0"))
