# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("getcwd", ctypes.create_string_buffer(1024), 1024)
