# class: library
# layer: language
# must: give nothing of the host
print(WON, tools["admin_secret"])
