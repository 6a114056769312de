# class: classes
# layer: language
# must:  make no class past the policy
import abc
import dataclasses

got = []


def hook(cls, subclass):
    got.append(subclass)
    return True


for name in ("__subclasshook__", "__subclasscheck__"):
    made = dataclasses.make_dataclass(
        "D", [], bases=(abc.ABC,), namespace={name: classmethod(hook)}
    )
    isinstance(int, made)
for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except AttributeError as e:
        print(e)
