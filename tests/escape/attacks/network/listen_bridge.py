# class: network
# layer: os
# must: be answered EPERM or end the guest
probe("listen", 3, 1)
