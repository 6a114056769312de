# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception ok limit memory_limit crash violation
import shutil
import os
os.mkdir("/tmp/a")
shutil.copytree("/tmp/a", "/tmp/a/b")
print("end")
