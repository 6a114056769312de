# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("clone", 0x10000011, 0, 0, 0, 0)
