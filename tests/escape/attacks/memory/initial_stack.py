# class: memory
# layer: os
# must: be answered EPERM or end the guest
# The environment that the host was started with must not be in any readable byte near the stack's end.
environ = ctypes.c_void_p.in_dll(libc, "environ").value
near = ctypes.string_at(environ, 2048)
print(WON if b"CANARY" in near else "inert")
