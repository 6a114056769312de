# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("process_vm_writev", 1, 0, 0, 0, 0, 0)
