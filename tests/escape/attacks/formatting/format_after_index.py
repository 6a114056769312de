# class: formatting
# layer: language
# must: be refused
print(WON, "{0[0].__init__.__globals__}".format([lambda: 0]))
