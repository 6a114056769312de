# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe(440, 3, 0, 0, 0, 0)
