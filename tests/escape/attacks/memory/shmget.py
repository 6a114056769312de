# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("shmget", 1, 4096, 0o600)
