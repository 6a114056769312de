# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("mkdir", b"/tmp/owned", 0o700)
