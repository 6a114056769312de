# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("prctl", 15, b"init", 0, 0, 0)
