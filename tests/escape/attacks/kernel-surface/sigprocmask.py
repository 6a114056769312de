# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("rt_sigprocmask", 0, 0, 0, 8)
