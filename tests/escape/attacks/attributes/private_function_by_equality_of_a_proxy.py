# class: attributes
# layer: language
# must:  compare no function of the library's with an object
import argparse
import types
import weakref


class Heir(argparse.Namespace):
    pass


class Grab:
    def __call__(self):
        pass

    def __eq__(self, function):
        print(WON, function)
        return False

    def __hash__(self):
        return 1


grab = Grab()
h = Heir()


class Own:
    pass


def by_class_method(function):
    Own.k = classmethod(function)
    return Own.k == h._get_kwargs


for way in (
    lambda: types.MethodType(weakref.proxy(grab), h) == h._get_kwargs,
    lambda: by_class_method(weakref.proxy(grab)),
    lambda: types.MethodType(list[grab], h) == h._get_kwargs,
):
    try:
        way()
    except (AttributeError, TypeError) as e:
        print(e)
