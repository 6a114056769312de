# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
import os
os.kill(os.getpid(), 9)
print(WON)
