# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("tkill", 1, 6)
