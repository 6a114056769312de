# class: text-to-code
# layer: language
# must: turn no text into code
g = (i for i in [1])
print(WON, getattr(g, "gi_code").replace(co_code=b""))
