# class: attributes
# layer: language
# must:  take no method out of a class for any self
import dataclasses
import pprint
import sys

name = "zq" + "q"
Base = dataclasses.make_dataclass("Base", [(name, int)])
got = []


class Heir(Base):
    def zqq(self):
        return self.__dict__


class Printer(pprint.PrettyPrinter):
    def _format_namespace_items(self, items, *rest):
        got.extend(items)


Printer()._pprint_dataclass(Heir, sys.stdout, 0, 0, {}, 0)
print(WON, got[0][1](int))
