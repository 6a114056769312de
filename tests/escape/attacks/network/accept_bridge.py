# class: network
# layer: os
# must: be answered EPERM or end the guest
probe(43, 3, 0, 0)
