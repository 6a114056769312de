# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("rt_sigaction", 10, 0, 0, 8)
