# class: classes
# layer: language
# must: show the hook of an abstract class the stand-in, also where a dataclass is made of a dict
from abc import ABC
from dataclasses import make_dataclass

seen = []
hook = classmethod(lambda cls, kind: seen.append(kind) or True)
A = make_dataclass("A", [], bases=(ABC,), namespace={"__subclasshook__": hook})
isinstance(int, A)
made = seen[0]("X", (), {"__getattribute__": lambda self, name: WON})
print(made().anything)
