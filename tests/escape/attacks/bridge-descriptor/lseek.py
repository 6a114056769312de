# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("lseek", 3, 0, 0)
