# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("name_to_handle_at", -100, b"/", ctypes.create_string_buffer(128), ctypes.create_string_buffer(8), 0)
