# class: names
# layer: language
# must: bind or read no name of the policy
class __builtins__:
    pass


print(WON)
