# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("execveat", 3, b"", 0, 0, 0x1000)
