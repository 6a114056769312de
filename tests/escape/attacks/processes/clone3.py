# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("clone3", ctypes.create_string_buffer(88), 88)
