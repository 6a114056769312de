# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe(72, 3, 1024, 0)
