# class: processes
# layer: os
# must: be answered EPERM or end the guest
import os

probe("tgkill", os.getpid(), os.getpid(), 10)
