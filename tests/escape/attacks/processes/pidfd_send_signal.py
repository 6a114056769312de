# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe(424, 3, 9, 0, 0)
