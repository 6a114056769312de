# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
import struct
moment = ctypes.create_string_buffer(struct.pack("qq", 0, 1))
answers = [call("clock_nanosleep", (~pid << 3) | 2, 0, moment, 0) for pid in range(2, 400)]
print(WON if any(answer == 0 for answer, code in answers) else "refused")
