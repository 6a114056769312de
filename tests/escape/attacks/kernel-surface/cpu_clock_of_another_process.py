# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
answers = [call("clock_gettime", (~pid << 3) | 2, ctypes.create_string_buffer(16)) for pid in range(2, 400)]
print(WON if any(answer == 0 for answer, code in answers) else "refused")
