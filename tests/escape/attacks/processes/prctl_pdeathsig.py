# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("prctl", 1, 0, 0, 0, 0)
