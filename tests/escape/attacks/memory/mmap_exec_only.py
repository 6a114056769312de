# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("mmap", 0, 4096, 4, 0x22, -1, 0)
