# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("bpf", 0, 0, 0)
