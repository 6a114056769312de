# class: files
# layer: os
# must: be answered EPERM or end the guest
probe("faccessat2", -100, b"/", 0, 0)
