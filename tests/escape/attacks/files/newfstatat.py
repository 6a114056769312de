# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("newfstatat", -100, b"/", ctypes.create_string_buffer(256), 0)
