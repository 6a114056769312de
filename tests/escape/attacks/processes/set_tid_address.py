# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("set_tid_address", 0)
