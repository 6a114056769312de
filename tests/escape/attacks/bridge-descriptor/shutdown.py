# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("shutdown", 3, 2)
