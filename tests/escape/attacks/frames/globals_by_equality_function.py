# class: frames
# layer: language
# must:  read nothing of a function that has no name here
import unittest


class Case(unittest.TestCase):
    def runTest(self):
        pass


def target():
    pass


for name in ("__code__", "__globals__", "__builtins__"):
    target._type_equality_funcs = {int: name}
    try:
        print(WON, Case._getAssertEqualityFunc(target, 1, 1))
    except AttributeError as e:
        print(e)
