# class: classes
# layer: language
# must:  be refused
import abc

got = []


class A(abc.ABC):
    pass


for name in ("__subclasscheck__", "__instancecheck__", "__subclasshook__"):
    try:
        setattr(A, name, classmethod(lambda cls, subclass: got.append(subclass)))
    except AttributeError as e:
        print(e)
isinstance(int, A)
if got:
    print(WON, got)
