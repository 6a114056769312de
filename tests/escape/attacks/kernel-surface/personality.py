# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("personality", 0x0400000)
