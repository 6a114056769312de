# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("move_mount", -100, b"/", -100, b"/tmp", 0)
