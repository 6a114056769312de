# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(14, 0, 0, 0, 8)
