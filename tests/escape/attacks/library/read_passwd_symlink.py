# class: library
# layer: language
# must: give nothing of the host
import os

os.symlink("/etc/passwd", "/tmp/l")
print(WON, open("/tmp/l").read())
