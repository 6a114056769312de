# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("open_tree", -100, b"/", 1)
