# class: network
# layer: os
# must: be answered EPERM or end the guest
probe("bind", 3, b"\1\0\0abstract", 11)
