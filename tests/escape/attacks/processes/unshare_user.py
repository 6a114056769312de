# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("unshare", 0x10000000)
