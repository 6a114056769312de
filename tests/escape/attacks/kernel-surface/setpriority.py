# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("setpriority", 0, 0, -20)
