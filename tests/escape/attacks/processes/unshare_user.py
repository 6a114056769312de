# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe(272, 0x10000000)
