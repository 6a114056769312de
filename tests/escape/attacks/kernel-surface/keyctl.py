# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("keyctl", 0, -3, 0, 0, 0)
