# class: network
# layer: os
# must: be answered EPERM or end the guest
probe(41, 1, 1, 0)
