# class: names
# layer: language
# must: bind or read no name of the policy
g = globals
print(WON, g())
