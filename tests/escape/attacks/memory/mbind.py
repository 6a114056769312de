# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe(237, 0, 0, 0, 0, 0, 0)
