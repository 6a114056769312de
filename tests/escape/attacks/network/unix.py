# class: network
# layer: os
# must: be answered EPERM or end the guest
probe("socket", 1, 1, 0)
