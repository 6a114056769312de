# class: library
# layer: language
# must: give nothing of the host
import lzma

print(WON, lzma.LZMAFile("/etc/passwd").read())
