# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("symlink", b"/etc/passwd", b"/tmp/b")
