# class: network
# layer: os
# must: be answered EPERM or end the guest
# ends: violation
probe("socket", 2, 1, 0)
