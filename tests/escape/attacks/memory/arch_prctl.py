# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("arch_prctl", 0x1002, 0)
