# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe(151, 1)
