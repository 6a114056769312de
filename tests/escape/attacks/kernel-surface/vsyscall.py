# class: kernel-surface
# layer: os
# machine: x86_64
# must: be answered EPERM or end the guest
made = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(0xFFFFFFFFFF600400)
print("time of day only", made(None) > 0)
