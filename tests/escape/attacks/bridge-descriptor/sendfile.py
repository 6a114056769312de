# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe(40, 3, 3, 0, 16)
