# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("sendto", 3, b"x", 1, 0, 0, 0)
