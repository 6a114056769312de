# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("write", 1, b"to the terminal", 15)
