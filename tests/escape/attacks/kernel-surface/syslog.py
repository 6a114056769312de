# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("syslog", 3, 0, 0)
