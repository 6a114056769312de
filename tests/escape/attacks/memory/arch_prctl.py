# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe(158, 0x1002, 0)
