# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("rseq", 0, 32, 0, 0)
