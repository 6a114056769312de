# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe(56, 17, 0, 0, 0, 0)
