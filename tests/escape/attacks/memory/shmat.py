# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("shmat", 0, 0, 0)
