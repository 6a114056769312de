# class: files
# layer: os
# must: be answered EPERM or end the guest
probe(90, b"/tmp", 0o777)
