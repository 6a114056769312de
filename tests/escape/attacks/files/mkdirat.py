# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("mkdirat", -100, b"/tmp/owned", 0o700)
