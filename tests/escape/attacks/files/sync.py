# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("sync")
