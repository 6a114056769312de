# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("prctl", 8, 1, 0, 0, 0)
