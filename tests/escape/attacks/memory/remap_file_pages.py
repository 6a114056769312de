# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe(216, 0, 4096, 0, 0, 0)
