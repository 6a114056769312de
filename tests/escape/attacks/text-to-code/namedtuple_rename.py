# class: text-to-code
# layer: language
# must: turn no text into code
import collections
T = collections.namedtuple("T", ["class", "a b"], rename=True)
print(WON if "class" in T._fields else "inert")
