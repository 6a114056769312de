# class: attributes
# layer: language
# must: be refused
print(WON, vars.__defaults__[0].attributes)
