# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
# ends: violation
probe(0x40000000 + 1, 3, b"x", 1)
