# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("timerfd_create", 0, 0)
