# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe(319, b"x", 0)
