# class: attributes
# layer: language
# must: be refused
print(WON, list(map(getattr, [lambda: 0], ["__code__"])))
