# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("modify_ldt", 0, 0, 0)
