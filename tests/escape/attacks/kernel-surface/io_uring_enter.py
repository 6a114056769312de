# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("io_uring_enter", 3, 1, 0, 0, 0, 0)
