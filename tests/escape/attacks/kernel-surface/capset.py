# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("capset", ctypes.create_string_buffer(8), ctypes.create_string_buffer(24))
