# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("lookup_dcookie", 0, 0, 0)
