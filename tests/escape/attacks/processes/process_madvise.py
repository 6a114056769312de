# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("process_madvise", 3, 0, 0, 0, 0)
