# class: classes
# layer: language
# must:  make no class past the policy
import functools
import types
import weakref


class Method(classmethod):
    pass


class Partial(functools.partialmethod):
    pass


class Own:
    pass


got = []
for made in (Method(got.append), Partial(Method(got.append))):
    kind = type(made)
    for way in (super(kind, kind), types.GenericAlias(kind, int), weakref.proxy(kind), kind):
        for arguments in ((made, Own), (made, Own, None)):
            try:
                way.__get__(*arguments)()
            except Exception as e:
                print(e)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
