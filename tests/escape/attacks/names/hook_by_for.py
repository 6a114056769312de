# class: names
# layer: language
# must: bind or read no name of the policy
for __builtins__ in [{}]:
    print(WON)
