# class: names
# layer: language
# must: bind or read no name of the policy
def f():
    global __builtins__
    __builtins__ = {"len": lambda x: WON}


f()
print(len(""))
