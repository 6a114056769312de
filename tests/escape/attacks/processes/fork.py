# class: processes
# layer: os
# must: be answered EPERM or end the guest
# ends: violation
probe("fork")
