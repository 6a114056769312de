# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(303, -100, b"/", ctypes.create_string_buffer(128), ctypes.create_string_buffer(8), 0)
