# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("creat", b"/tmp/owned", 0o600)
