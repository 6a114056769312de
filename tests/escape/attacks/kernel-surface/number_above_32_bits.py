# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe((1 << 32) + NUMBERS["socket"], 2, 1, 0)
