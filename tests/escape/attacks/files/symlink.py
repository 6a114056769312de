# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(88, b"/etc/passwd", b"/tmp/b")
