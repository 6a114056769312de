# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(173, 0x80, 1, 1)
