# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("uname", ctypes.create_string_buffer(512))
