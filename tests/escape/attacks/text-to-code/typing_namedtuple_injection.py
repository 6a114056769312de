# class: text-to-code
# layer: language
# must: turn no text into code
import typing
print(WON, typing.NamedTuple("T", [("a=print(WON)", int)]))
