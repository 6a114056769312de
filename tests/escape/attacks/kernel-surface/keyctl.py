# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(250, 0, -3, 0, 0, 0)
