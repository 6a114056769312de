# class: attributes
# layer: language
# must:  give no function of the library's unbound
import argparse


class Spy:
    def __radd__(self, function):
        print(WON, function)
        return 1


class Counting:
    reads = 0

    def __get__(self, instance, owner):
        Counting.reads += 1
        if Counting.reads == when:
            delattr(Heir, "_get_kwargs")
        return Spy


for when in range(1, 4):

    class Heir(argparse.Namespace):
        _get_kwargs = Counting()

    Counting.reads = 0
    try:
        Heir._get_kwargs += Spy()
    except (AttributeError, TypeError) as e:
        print(e)
