# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("kcmp", 1, 1, 0, 0, 0)
