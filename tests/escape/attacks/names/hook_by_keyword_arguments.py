# class: names
# layer: language
# must: bind or read no name of the policy
def f(**__builtins__):
    return WON


print(f())
