# class: formatting
# layer: language
# must: be refused
print(WON, "{x.__class__.__mro__}".format_map({"x": 1}))
