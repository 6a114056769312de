# class: names
# layer: language
# must: bind or read no name of the policy
def f():
    global __buiｌtins__
    __buiｌtins__ = {}


f()
print(WON)
