# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("tee", 3, 3, 16, 0)
