# class: attributes
# layer: language
# must: not let an alias forward an attribute name unchecked
import typing
print(WON, typing.List[int].__getattr__("mro")())
