# class: names
# layer: language
# must: bind or read no name of the policy
def f():
    __builtins__ = {}

    def g():
        nonlocal __builtins__
        __builtins__ = 1

    g()


f()
print(WON)
