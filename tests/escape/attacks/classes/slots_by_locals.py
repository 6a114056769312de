# class: classes
# layer: language
# must: keep the names of slots as they were looked at
def f():
    class K:
        __slots__ = list("ab")
        locals()["__slots__"].append("__globals__")
    return K
K = f()
print(K.__slots__)
if "__globals__" in K.__slots__: print(WON)
