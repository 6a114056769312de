# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("close", 3)
