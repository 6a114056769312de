# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe(435, ctypes.create_string_buffer(88), 88)
