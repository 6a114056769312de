# class: files
# layer: os
# must: be answered EPERM or end the guest
# ends: exception
probe("openat", -100, b"/etc/passwd", 0)
