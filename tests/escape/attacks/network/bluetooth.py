# class: network
# layer: os
# must: be answered EPERM or end the guest
probe("socket", 31, 5, 0)
