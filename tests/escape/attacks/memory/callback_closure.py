# class: memory
# layer: os
# must: be answered EPERM or end the guest
# libffi makes a trampoline of executable memory for a callback.
made = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)
print("made" if made() == 1 else "refused")
probe("mprotect", ctypes.addressof(made), 4096, 7)
