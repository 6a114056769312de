# class: memory
# layer: os
# must: know nothing of the host's environment
# LC_CTYPE is the interpreter's own doing.
libc.getenv.restype = ctypes.c_char_p
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
found = []
while environ[len(found)]:
    found.append(environ[len(found)].partition(b"=")[0])
print(WON if set(found) - {b"PYTHONHASHSEED", b"LC_CTYPE"} else "inert", found)
