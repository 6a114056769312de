# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("utimensat", -100, b"/tmp", 0, 0)
