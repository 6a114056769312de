# class: mutation
# layer: language
# must:  leave what is the library's as it is
import logging
import unittest


class Case(unittest.TestCase):
    def runTest(self):
        pass


class Context:
    logger = logging.lastResort
    old_handlers = "planted"
    old_propagate = old_level = no_logs = False


for context in (Case().assertLogs(), Case().assertNoLogs()):
    for error in ((None, None, None), (ValueError, ValueError(), None)):
        try:
            type(context).__exit__(Context(), *error)
        except Exception as e:
            print(e)
        if hasattr(logging.lastResort, "handlers"):
            print(WON)
