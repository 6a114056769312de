# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("mknod", b"/tmp/owned", 0o020600, 0x103)
