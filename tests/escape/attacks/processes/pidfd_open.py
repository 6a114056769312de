# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("pidfd_open", 1, 0)
