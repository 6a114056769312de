# class: mutation
# layer: language
# must:  leave what is the library's as it is
import json
import logging
import unittest


class Loader:
    def loadTestsFromModule(self, module):
        return None


class Runner:
    def run(self, tests):
        return WON


for target in (json.dumps, logging.lastResort, logging.getLogger(), unittest.defaultTestLoader):
    try:
        unittest.main.__init__(
            target, testLoader=Loader(), testRunner=Runner(), exit=False, argv=["x"]
        )
    except TypeError as e:
        print(e)
    print(getattr(target, "result", "untouched"))
