# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("sendfile", 3, 3, 0, 16)
