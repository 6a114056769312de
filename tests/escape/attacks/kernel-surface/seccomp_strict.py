# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(317, 0, 0, 0)
