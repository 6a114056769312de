# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("pidfd_getfd", 3, 0, 0)
