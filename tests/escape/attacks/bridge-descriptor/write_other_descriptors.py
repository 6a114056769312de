# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
for number in (4, 5, 6, 7, 8, 9, 100, 1023):
    probe("write", number, b"x", 1)
