# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("clock_settime", 0, ctypes.create_string_buffer(16))
