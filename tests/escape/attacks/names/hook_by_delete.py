# class: names
# layer: language
# must: bind or read no name of the policy
del __name__
print(WON, __import__("os").system)
