# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("userfaultfd", 0)
