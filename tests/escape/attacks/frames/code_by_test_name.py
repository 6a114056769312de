# class: frames
# layer: language
# must:  read nothing of a function that has no name here
import unittest


def target():
    pass


def take(found):
    print(WON, found)


class Result(unittest.TestResult):
    def addSubTest(self, test, subtest, err):
        kinds.append(type(subtest))


class Case(unittest.TestCase):
    def runTest(self):
        with self.subTest():
            pass


kinds = [Case, unittest.TestCase]
Case().run(Result())
target._callSetUp = lambda: None
target._callTestMethod = take
target._addDuration = lambda *_: None
for name in ("__code__", "__globals__", "__closure__"):
    target._testMethodName = name
    for kind in kinds:
        for run in (kind.debug, lambda it: kind.run(it, Result())):
            try:
                run(target)
            except Exception as e:
                print(e)
