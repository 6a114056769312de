# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("writev", 3, ctypes.create_string_buffer(16), 1)
