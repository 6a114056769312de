# class: classes
# layer: language
# must:  take no object for a generic alias
import typing

got = []


class Me:
    pass


for alias in (typing.List[int], typing.Union[int, str], typing.Callable, typing.List):
    me = Me()
    vars(me)["__subclasscheck__"] = got.append
    try:
        type(alias).__instancecheck__(me, int)
    except (TypeError, AttributeError) as e:
        print(e)
for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except AttributeError as e:
        print(e)
