# class: mutation
# layer: language
# must:  leave the streams what they are
import sys

C = type(sys.stdout)
try:
    C.__init__(sys.stdout, "stderr")
except TypeError as e:
    print(e)
if sys.stdout.name != "<stdout>":
    print(WON)
made = C()
made.write(WON)
