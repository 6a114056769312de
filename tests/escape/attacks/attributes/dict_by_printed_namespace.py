# class: attributes
# layer: language
# must:  give no attributes of other objects
import codecs
import pprint
import sys


class Printer(pprint.PrettyPrinter):
    def _format_namespace_items(self, items, *rest):
        print(WON, dict(items)["__getattr__"])


Printer()._pprint_simplenamespace(codecs.StreamReader, sys.stdout, 0, 0, {}, 0)
