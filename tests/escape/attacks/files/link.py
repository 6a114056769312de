# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("link", b"/etc/passwd", b"/tmp/b")
