# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("futex", ctypes.create_string_buffer(8), 6 | 128, 0, 0, 0, 0)
