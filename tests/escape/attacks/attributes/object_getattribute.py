# class: attributes
# layer: language
# must: be refused
print(WON, object.__getattribute__(lambda: 0, "__globals__"))
