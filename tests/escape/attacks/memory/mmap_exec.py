# class: memory
# layer: os
# must: be answered EPERM or end the guest
# ends: violation
probe("mmap", 0, 4096, 7, 0x22, -1, 0)
