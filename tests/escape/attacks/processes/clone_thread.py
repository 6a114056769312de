# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("clone", 0x3D0F00, 0, 0, 0, 0)
