# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("newfstatat", 3, b"", ctypes.create_string_buffer(256), 0x1000)
