# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("umount2", b"/", 2)
