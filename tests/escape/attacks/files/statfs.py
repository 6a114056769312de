# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("statfs", b"/", ctypes.create_string_buffer(256))
