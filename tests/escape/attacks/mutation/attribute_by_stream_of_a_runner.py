# class: mutation
# layer: language
# must:  leave what is the library's as it is, and show nothing of the sandbox's own
import logging
import unittest


class Case(unittest.TestCase):
    def runTest(self):
        pass


class Writer:
    def write(self, text):
        pass


streams = []


def made(stream, *_, **__):
    streams.append(stream)
    return unittest.TestResult()


unittest.TextTestRunner(resultclass=made).run(Case())
for stream in streams:
    if "codemode" in type(stream).__module__:
        print(WON, type(stream))
    for target in (logging.lastResort, unittest.defaultTestLoader):
        try:
            type(stream).__init__(target, Writer())
            print(WON, target)
        except TypeError as e:
            print(e)
