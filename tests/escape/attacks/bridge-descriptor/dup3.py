# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("dup3", 3, 4, 0)
