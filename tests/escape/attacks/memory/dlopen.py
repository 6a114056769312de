# class: memory
# layer: os
# must: load no further native code
print(WON, ctypes.CDLL("/lib/x86_64-linux-gnu/libresolv.so.2"))
