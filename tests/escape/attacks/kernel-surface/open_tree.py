# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe(428, -100, b"/", 1)
