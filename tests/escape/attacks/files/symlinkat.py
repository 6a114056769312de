# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("symlinkat", b"/etc/passwd", -100, b"/tmp/owned")
