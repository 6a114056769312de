# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("setpgid", 0, 0)
