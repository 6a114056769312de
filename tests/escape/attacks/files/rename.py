# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(82, b"/tmp/a", b"/tmp/b")
