# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("capget", ctypes.create_string_buffer(8), 0)
