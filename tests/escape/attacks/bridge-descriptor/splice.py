# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("splice", 3, 0, 3, 0, 16, 0)
