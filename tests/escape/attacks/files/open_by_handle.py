# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("open_by_handle_at", -100, ctypes.create_string_buffer(32), 0)
