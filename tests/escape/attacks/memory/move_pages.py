# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("move_pages", 0, 0, 0, 0, 0, 0)
