# class: text-to-code
# layer: language
# must: turn no text into code
import collections
print(WON, collections.namedtuple("T(): pass\nprint(WON)\nclass X", "a"))
