# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("linkat", -100, b"/etc/passwd", -100, b"/tmp/owned", 0)
