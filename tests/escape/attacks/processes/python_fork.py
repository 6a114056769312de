# class: processes
# layer: os
# must: be answered EPERM or end the guest
# ends: violation
import os

print(WON, os.fork())
