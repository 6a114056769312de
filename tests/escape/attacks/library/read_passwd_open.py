# class: library
# layer: language
# must: give nothing of the host
print(WON, open("/etc/passwd").read())
