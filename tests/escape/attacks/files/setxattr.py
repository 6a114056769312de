# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(188, b"/tmp", b"user.x", b"y", 1, 0)
