# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("kexec_load", 0, 0, 0, 0)
