# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe(134, b"/lib/x.so")
