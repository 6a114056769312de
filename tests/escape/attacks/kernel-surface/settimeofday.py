# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("settimeofday", 0, 0)
