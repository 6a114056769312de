# class: memory
# layer: os
# must: load no further native code
print(WON, ctypes.CDLL(f"/lib/{MACHINE}-linux-gnu/libresolv.so.2"))
