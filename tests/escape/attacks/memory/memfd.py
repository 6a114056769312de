# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("memfd_create", b"x", 0)
