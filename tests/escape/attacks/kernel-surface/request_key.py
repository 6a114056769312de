# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("request_key", b"user", b"x", 0, -3)
