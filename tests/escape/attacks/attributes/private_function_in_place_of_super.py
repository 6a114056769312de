# class: attributes
# layer: language
# must:  give no function of the library's unbound
import argparse


class Spy:
    def __radd__(self, function):
        print(WON, function)
        return 1


class Heir(argparse.Namespace):
    @classmethod
    def take(cls):
        above = super()
        above._get_kwargs += Spy()


Heir.take()
