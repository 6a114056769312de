# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("readlink", b"/proc/self/exe", ctypes.create_string_buffer(256), 256)
