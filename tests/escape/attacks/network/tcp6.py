# class: network
# layer: os
# must: be answered EPERM or end the guest
probe("socket", 10, 1, 0)
