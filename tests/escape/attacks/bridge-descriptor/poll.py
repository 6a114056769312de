# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("poll", ctypes.create_string_buffer(8), 1, 0)
