# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("close_range", 0, 100, 0)
