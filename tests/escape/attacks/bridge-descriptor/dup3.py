# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe(292, 3, 4, 0)
