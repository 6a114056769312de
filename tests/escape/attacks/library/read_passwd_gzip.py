# class: library
# layer: language
# must: give nothing of the host
import gzip

print(WON, gzip.GzipFile("/etc/passwd").read())
