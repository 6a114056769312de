# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("waitid", 0, 0, 0, 4, 0)
