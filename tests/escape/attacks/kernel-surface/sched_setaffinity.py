# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(203, 0, 8, ctypes.create_string_buffer(8))
