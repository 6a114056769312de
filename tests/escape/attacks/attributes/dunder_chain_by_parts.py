# class: attributes
# layer: language
# must: be refused
value = ()
for part in ("class", "base"):
    value = getattr(value, "_" * 2 + part + "_" * 2)
print(WON, value)
