# class: processes
# layer: os
# must: be answered EPERM or end the guest
import os

print(WON, os.posix_spawn("/bin/true", ["true"], {}))
