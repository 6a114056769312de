# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe(56, 0x10000011, 0, 0, 0, 0)
