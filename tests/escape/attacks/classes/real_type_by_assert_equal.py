# class: classes
# layer: language
# must:  make no class past the policy
import unittest

got = []


class Told:
    def get(self, key, *_):
        got.append(key)


class Own:
    def above(self):
        return super()


class Case(unittest.TestCase):
    def runTest(self):
        pass


case = Case()
case._type_equality_funcs = Told()
for one in (Own, Own().above()):
    for compare in (case.assertEqual, case._getAssertEqualityFunc):
        try:
            compare(one, one)
        except Exception as e:
            print(e)

for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)

for one in got:
    try:
        print(WON, one(type(got), got))
    except TypeError as e:
        print(e)
