# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("ioprio_set", 1, 0, 0)
