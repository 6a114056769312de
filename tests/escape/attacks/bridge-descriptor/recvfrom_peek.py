# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("recvfrom", 3, ctypes.create_string_buffer(64), 64, 2, 0, 0)
