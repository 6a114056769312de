# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(248, b"user", b"x", b"y", 1, -3)
