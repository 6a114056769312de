# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("tgkill", 4999999, 4999999, 6)
