# class: attributes
# layer: language
# must:  give no function of the library's unbound
import argparse


class Heir(argparse.Namespace):
    pass


class Spy:
    def __radd__(self, function):
        print(WON, function)
        return 1


class Inside:
    def take(self):
        self._get_kwargs += Spy()


for way in (lambda: Inside.take(Heir), lambda: setattr(Heir, "_get_kwargs", 1)):
    try:
        way()
    except AttributeError as e:
        print(e)
Other = type("Other", (argparse.Namespace,), {})
Other._get_kwargs += Spy()
