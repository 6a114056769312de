# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
# ends: crash
call("exit", 0)
print(WON)
