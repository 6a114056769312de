# class: kernel-surface
# layer: os
# machine: x86_64
# must: be answered EPERM or end the guest
probe(0x40000000 + 39)
