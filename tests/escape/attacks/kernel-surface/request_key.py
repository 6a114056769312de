# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(249, b"user", b"x", 0, -3)
