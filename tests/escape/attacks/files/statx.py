# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("statx", -100, b"/", 0, 0x7FF, ctypes.create_string_buffer(256))
