# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("setxattr", b"/tmp", b"user.x", b"y", 1, 0)
