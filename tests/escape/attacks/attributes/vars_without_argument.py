# class: attributes
# layer: language
# must: be refused
print(WON, vars())
