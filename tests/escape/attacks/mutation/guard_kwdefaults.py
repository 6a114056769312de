# class: mutation
# layer: language
# must: be refused
getattr.__kwdefaults__ = {}
print(WON)
