# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("signalfd4", -1, ctypes.create_string_buffer(8), 8, 0)
