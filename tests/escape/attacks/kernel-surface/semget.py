# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(64, 1, 1, 0o1600)
