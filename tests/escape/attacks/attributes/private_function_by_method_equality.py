# class: attributes
# layer: language
# must:  compare no function of the library's with an object
import abc
import argparse
import contextlib
import types
import weakref


class Heir(argparse.Namespace):
    pass


class Grab:
    def __call__(self, *_):
        pass

    def __eq__(self, function):
        print(WON, function)
        return True

    def __hash__(self):
        return 1


h = Heir()


Alike = type("Alike", (), {})
for name, value in (("__self__", h), ("__func__", Grab())):
    try:
        setattr(Alike, name, value)
    except AttributeError as e:
        print(e)


class Stack(contextlib.ExitStack):
    def made(self):
        return self._create_exit_wrapper(h, Grab())


class Own:
    def plain(self):
        pass

    @classmethod
    def k(cls):
        pass


def by_class_method(make):
    Own.g = make(Grab())
    return Own.g == Own.k


ways = [
    lambda: types.MethodType(Grab(), h) == h._get_kwargs,
    lambda: type(Own().plain)(Grab(), h) == h._get_kwargs,
    lambda: Stack().made() == h._get_kwargs,
    lambda: by_class_method(classmethod),
    lambda: by_class_method(abc.abstractclassmethod),
    lambda: by_class_method(type(vars(Own)["k"])),
    lambda: weakref.WeakMethod(Alike()) == weakref.WeakMethod(h._get_kwargs),
]
for way in ways:
    try:
        way()
    except (AttributeError, TypeError) as e:
        print(e)
