# class: classes
# layer: language
# must: be refused
class A:
    __slots__ = ("__class__",)
print(WON)
