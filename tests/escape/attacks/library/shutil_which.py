# class: library
# layer: language
# must: give nothing of the host
import shutil

print(WON if shutil.which("sh") else "inert")
