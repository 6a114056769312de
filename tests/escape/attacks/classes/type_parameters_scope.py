# class: classes
# layer: language
# must: evaluate no text
import typing
T = typing.TypeVar("T", bound="__import__('os')")
found = typing.get_type_hints(type("A", (), {"__annotations__": {"x": "__import__('os').system"}}))
print(WON, found)
