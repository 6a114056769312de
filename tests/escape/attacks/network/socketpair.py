# class: network
# layer: os
# must: be answered EPERM or end the guest
probe("socketpair", 1, 1, 0, ctypes.create_string_buffer(8))
