# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("openat2", -100, b"/etc/passwd", ctypes.create_string_buffer(24), 24)
