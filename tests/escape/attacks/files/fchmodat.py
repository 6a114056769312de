# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("fchmodat", -100, b"/tmp", 0o777)
