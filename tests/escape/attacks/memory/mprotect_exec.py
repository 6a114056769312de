# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("mprotect", 0x10000, 4096, 5)
