# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("mq_open", b"x", 0o102, 0o600, 0)
