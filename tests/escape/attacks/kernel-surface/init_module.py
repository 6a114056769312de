# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(175, 0, 0, b"")
