# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("fcntl", 3, 1024, 0)
