# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("fanotify_init", 0, 0)
