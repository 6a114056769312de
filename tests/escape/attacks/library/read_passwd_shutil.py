# class: library
# layer: language
# must: give nothing of the host
import shutil

print(WON, shutil.copy("/etc/passwd", "/tmp/x"))
