# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("rt_sigqueueinfo", 1, 10, ctypes.create_string_buffer(128))
