# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("set_robust_list", 0, 24)
