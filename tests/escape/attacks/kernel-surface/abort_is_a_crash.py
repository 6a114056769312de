# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
# ends: crash
import os
os.abort()
