# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
# ends: crash
ctypes.string_at(0)
