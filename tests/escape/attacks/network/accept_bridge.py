# class: network
# layer: os
# must: be answered EPERM or end the guest
probe("accept", 3, 0, 0)
