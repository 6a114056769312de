# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("add_key", b"user", b"x", b"y", 1, -3)
