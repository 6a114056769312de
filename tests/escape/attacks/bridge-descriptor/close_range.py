# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe(436, 0, 100, 0)
