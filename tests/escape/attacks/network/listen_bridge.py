# class: network
# layer: os
# must: be answered EPERM or end the guest
probe(50, 3, 1)
