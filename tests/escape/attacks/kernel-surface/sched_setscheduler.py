# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("sched_setscheduler", 0, 1, ctypes.create_string_buffer(4))
