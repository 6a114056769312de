# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("read", 0, ctypes.create_string_buffer(16), 16)
