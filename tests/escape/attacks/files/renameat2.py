# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("renameat2", -100, b"/tmp/owned", -100, b"/tmp/other", 0)
