# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("msgget", 1, 0o1600)
