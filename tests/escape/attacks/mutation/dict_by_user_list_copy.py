# class: mutation
# layer: language
# must: write nothing into an object of the library
# ends: exception
import collections, copy, enum
p = enum.property()
class A:
    q = p
    _member_map_ = {}
class X(collections.UserList):
    made = None
    def __new__(cls):
        return cls.made or object.__new__(cls)
x = X()
x._attr_type, x._cls_type, x.name = "attr", object, "__subclasses__"
X.made = p
copy.copy(x)
print(WON, A().q)
