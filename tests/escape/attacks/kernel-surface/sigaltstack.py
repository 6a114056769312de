# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("sigaltstack", 0, 0)
