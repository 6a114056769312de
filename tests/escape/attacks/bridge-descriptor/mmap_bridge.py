# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
answer, code = call("mmap", 0, 4096, 1, 2, 3, 0)
print(WON if answer != -1 else "refused", code)
