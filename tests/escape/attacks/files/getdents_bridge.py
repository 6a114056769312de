# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("getdents64", 3, ctypes.create_string_buffer(1024), 1024)
