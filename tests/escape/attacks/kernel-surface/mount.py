# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("mount", b"none", b"/", b"tmpfs", 0, 0)
