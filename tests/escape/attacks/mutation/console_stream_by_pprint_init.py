# class: mutation
# layer: language
# must:  leave the streams what they are
import pprint
import sys

try:
    pprint.PrettyPrinter.__init__(sys.stdout, stream="stderr")
except AttributeError as e:
    print(e)
if repr(sys.stdout).count("stdout") == 0 or sys.stdout.name != "<stdout>":
    print(WON)
