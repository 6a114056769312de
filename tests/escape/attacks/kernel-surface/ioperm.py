# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("ioperm", 0x80, 1, 1)
