# class: mutation
# layer: language
# must:  have the library fill nothing of others
import contextlib
import dataclasses
import functools
import json

made = 0


def give(cls):
    global made
    made += 1
    return json.dumps if made % 2 == 0 else object.__new__(cls)


class Maker:
    def new(self, cls):
        return give(cls)

    def __call__(self, cls):
        return give(cls)


class Owned:
    def __set_name__(self, owner, name):
        owner().pop_all()


def bound():
    class S(contextlib.ExitStack):
        __new__ = Maker().new

    return S


def partial():
    class S(contextlib.ExitStack):
        __new__ = functools.partial(give)

    return S


def called():
    class S(contextlib.ExitStack):
        __new__ = Maker()

    return S


def named():
    class S(contextlib.ExitStack):
        owned = Owned()
        __new__ = give

    return S


def generated():
    return dataclasses.make_dataclass(
        "S",
        [],
        bases=(contextlib.ExitStack,),
        namespace={"__new__": give},
        init=False,
        eq=False,
    )


def called_type():
    return type("S", (contextlib.ExitStack,), {"__new__": give})


for make in bound, partial, called, named, generated, called_type:
    try:
        made = 0
        make()().pop_all()
    except (AttributeError, TypeError, RuntimeError) as e:
        print(e)
if "_exit_callbacks" in dir(json.dumps):
    print(WON)
