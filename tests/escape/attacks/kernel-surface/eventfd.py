# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("eventfd2", 0, 0)
