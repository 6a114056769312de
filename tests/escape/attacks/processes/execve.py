# class: processes
# layer: os
# must: be answered EPERM or end the guest
# ends: violation
probe("execve", b"/bin/sh", 0, 0)
