# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(76, b"/etc/passwd", 0)
