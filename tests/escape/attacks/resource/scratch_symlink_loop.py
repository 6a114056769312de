# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception violation
import os
os.symlink("/tmp/b", "/tmp/a")
os.symlink("/tmp/a", "/tmp/b")
open("/tmp/a").read()
