# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(85, b"/tmp/owned", 0o600)
