# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("ppoll", ctypes.create_string_buffer(8), 1, 0, 0, 0)
