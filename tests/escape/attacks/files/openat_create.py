# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("openat", -100, b"/tmp/owned", 0o102, 0o600)
