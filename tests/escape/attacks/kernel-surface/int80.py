# class: kernel-surface
# layer: os
# machine: x86_64
# must: be answered EPERM or end the guest
# A call of the 32-bit convention, through the bytes of `int 0x80` that libc happens to hold.
start = ctypes.cast(libc.getpid, ctypes.c_void_p).value & ~0xFFF
near = ctypes.string_at(start, 1 << 18)
at = near.find(b"\xcd\x80")
if at < 0:
    raise PermissionError("no such bytes near")
ctypes.CFUNCTYPE(ctypes.c_long)(start + at)()
print(WON)
