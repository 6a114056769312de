# class: formatting
# layer: language
# must: be refused
f = getattr("{0.__class__.__subclasses__}", "for" + "mat")
print(WON, f(1))
