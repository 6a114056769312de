# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(13, 10, 0, 0, 8)
