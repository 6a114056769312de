# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("select", 4, 0, 0, 0, ctypes.create_string_buffer(16))
