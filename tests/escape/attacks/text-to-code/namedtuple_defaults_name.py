# class: text-to-code
# layer: language
# must: turn no text into code
import collections
class S(str):
    def isidentifier(self): return True
    def __hash__(self): return hash("a")
    def __eq__(self, o): return True
print(WON, collections.namedtuple("T", [S("a=print(1)")]))
