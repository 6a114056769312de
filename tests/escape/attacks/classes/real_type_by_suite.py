# class: classes
# layer: language
# must:  make no class past the policy
import unittest

got = []


class Own:
    pass


class Result(unittest.TestResult):
    pass


class Told:
    def __eq__(self, other):
        got.append(other)


class Suite(unittest.TestSuite):
    def __iter__(self):
        return iter([Own])


class Patient(Suite):
    def _tearDownPreviousClass(self, *_):
        pass

    _handleModuleFixture = _handleClassSetUp = _tearDownPreviousClass


result = Result()
for kind in (Suite, Patient):
    for run in (
        lambda: kind().run(result),
        lambda: Suite()._tearDownPreviousClass(Own, result),
        lambda: Suite()._handleClassSetUp(Own, result),
    ):
        try:
            run()
        except Exception as e:
            print(e)
        got.append(getattr(result, "_previousTestClass", None))
        result._previousTestClass = Told()
for one in got:
    try:
        print(WON, one("X", (), {"__del__": lambda self: None}))
    except (AttributeError, TypeError) as e:
        print(e)
