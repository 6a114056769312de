# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("reboot", 0xfee1dead, 672274793, 0, 0)
