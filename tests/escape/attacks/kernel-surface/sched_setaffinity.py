# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("sched_setaffinity", 0, 8, ctypes.create_string_buffer(8))
