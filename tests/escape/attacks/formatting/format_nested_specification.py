# class: formatting
# layer: language
# must: be refused
print(WON, "{0:{1.__class__.__base__}}".format("x", 1))
