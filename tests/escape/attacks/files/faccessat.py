# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("faccessat", -100, b"/etc/passwd", 4)
