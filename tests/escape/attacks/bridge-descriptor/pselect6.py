# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("pselect6", 4, 0, 0, 0, ctypes.create_string_buffer(16), 0)
