# class: mutation
# layer: language
# must:  call no method with a foreign self
import contextlib
import json
import unittest


class Manager:
    def __enter__(self):
        return 1

    def __exit__(self, *_):
        self.planted = 1


class Stack(contextlib.ExitStack):
    def _push_cm_exit(self, manager, leave):
        leave(json.dumps, 1, 2, 3)


class Case(unittest.TestCase):
    def runTest(self):
        self.enterContext(Manager())
        self._cleanups[-1][0](json.dumps, 1, 2, 3)


for way in (lambda: Stack().enter_context(Manager()), lambda: Case().debug()):
    try:
        way()
    except (AttributeError, TypeError) as e:
        print(e)
if hasattr(json.dumps, "planted"):
    print(WON)
