# class: kernel-surface
# layer: os
# machine: x86_64
# must: be answered EPERM or end the guest
# ends: violation
probe(0x40000000 + 1, 3, b"x", 1)
