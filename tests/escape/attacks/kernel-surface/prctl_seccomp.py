# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("prctl", 22, 2, 0, 0, 0)
