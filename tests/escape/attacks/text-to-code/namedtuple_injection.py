# class: text-to-code
# layer: language
# must: turn no text into code
import collections
print(WON, collections.namedtuple("T", ["a=print(WON)"]))
