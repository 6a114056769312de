# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe(157, 36, 1, 0, 0, 0)
