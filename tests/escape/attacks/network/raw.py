# class: network
# layer: os
# must: be answered EPERM or end the guest
probe("socket", 2, 3, 1)
