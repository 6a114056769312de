# class: library
# layer: language
# must: give nothing of the host
print(WON if "admin_secret" in list(tools) else "inert")
