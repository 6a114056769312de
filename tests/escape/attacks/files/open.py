# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(2, b"/etc/passwd", 0)
