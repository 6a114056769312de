# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("write", (1 << 32) + 4, b"x", 1)
