# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("setresgid", 0, 0, 0)
