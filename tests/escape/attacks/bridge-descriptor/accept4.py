# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("accept4", 3, 0, 0, 0)
