# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("mknodat", -100, b"/tmp/owned", 0o10600, 0)
