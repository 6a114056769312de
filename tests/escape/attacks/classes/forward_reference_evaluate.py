# class: classes
# layer: language
# must: be refused
import typing
print(WON, typing.ForwardRef("__import__('os')")._evaluate({}, {}, frozenset()))
