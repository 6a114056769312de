# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("init_module", 0, 0, b"")
