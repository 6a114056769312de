# class: names
# layer: language
# must: bind or read no name of the policy
f = lambda __builtins__={}: WON
print(f())
