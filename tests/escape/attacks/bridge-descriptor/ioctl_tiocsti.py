# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("ioctl", 3, 0x5412, b"x")
