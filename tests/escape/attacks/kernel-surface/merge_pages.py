# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("madvise", 0x10000, 4096, 12)
