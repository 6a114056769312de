# class: processes
# layer: os
# must: be answered EPERM or end the guest
import subprocess

print(WON, subprocess.run(["/bin/true"]))
