# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("ptrace", 16, 1, 0, 0)
