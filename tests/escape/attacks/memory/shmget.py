# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe(29, 1, 4096, 0o600)
