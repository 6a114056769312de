# class: library
# layer: language
# must: give nothing of the host
import fileinput

print(WON, list(fileinput.input("/etc/passwd")))
