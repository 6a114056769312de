# class: attributes
# layer: language
# must: be refused
del str.upper
print(WON)
