# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(439, -100, b"/", 0, 0)
