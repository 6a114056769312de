# class: classes
# layer: language
# must: keep the names of slots as they were looked at
class K:
    __slots__ = x = ["a"]
    x.append("__globals__")
print(K.__slots__)
if "__globals__" in K.__slots__: print(WON)
