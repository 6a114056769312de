# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("clone", 17, 0, 0, 0, 0)
