# class: library
# layer: language
# must: give nothing of the host
import bz2

print(WON, bz2.BZ2File("/etc/passwd").read())
