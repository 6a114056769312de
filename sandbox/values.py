"""The lossless JSON boundary: what may cross it, and the one pass that checks and copies.

Standard library only: the guest uses it on its side, the runtime on the host's. Types are compared
exactly and no method of a caller's own class is ever called, so a hostile object can neither run
code here nor raise out of here. Iterative, so depth is a limit and not a crash.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeAlias, cast

from codemode.sandbox.errors import CodeModeError
from codemode.sandbox.instead import refusal, type_name
from codemode.sandbox.marks import override

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_DEPTH: Final = 5_000
MAX_BYTES: Final = 128 << 20
MAX_VIOLATIONS: Final = 20

_INT_MIN: Final = -(1 << 63)
_INT_MAX: Final = (1 << 63) - 1
_INFINITY: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a value is not lossless JSON.

    Attributes:
        pointer: JSON pointer (RFC 6901); "" is the root.
        message: What is wrong and what to send instead.
    """

    pointer: str
    message: str

    @override
    def __str__(self) -> str:
        return f"{self.pointer or '(root)'}: {self.message}"


class InvalidValueError(CodeModeError, ValueError):
    """A value cannot cross the boundary. Nothing was copied.

    Attributes:
        violations: At least one, at most `MAX_VIOLATIONS`.
    """

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__("; ".join(map(str, violations)))
        self.violations = violations


def _frozen(*_: object, **__: object) -> NoReturn:
    raise TypeError("this value is frozen: make a copy to change it")


class FrozenDict(dict[str, Any]):
    """A dict whose mutators raise; equal to, and serialised as, a plain dict."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _frozen
    clear = pop = popitem = setdefault = update = _frozen

    @override
    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return (FrozenDict, (dict(self),))

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _: object) -> FrozenDict:
        return self


class FrozenList(list[Any]):
    """A list whose mutators raise; equal to, and serialised as, a plain list."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _frozen
    append = clear = extend = insert = pop = remove = reverse = sort = _frozen

    @override
    def __reduce__(self) -> tuple[type, tuple[list[Any]]]:
        return (FrozenList, (list(self),))

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, _: object) -> FrozenList:
        return self


_Pairs: TypeAlias = Callable[[Any], Iterable[tuple[Any, Any]]]

_type_of: Callable[[object], type[Any]] = type

# The built-in containers' own methods, which no subclass replaces and `_frozen` does not hide.
_items: Final[_Pairs] = dict[Any, Any].items
_set_item: Final = dict[str, Any].__setitem__
_append: Final = list[Any].append

#: How the pairs of each accepted mapping are read, by its exact type.
_DICTS: Final[dict[type[Any], _Pairs]] = {
    dict: _items,
    FrozenDict: _items,
    OrderedDict: OrderedDict[Any, Any].items,
    defaultdict: _items,
    Counter: _items,
}
_LISTS: Final[frozenset[type[Any]]] = frozenset({list, FrozenList, tuple})

#: What makes an empty container of a copy, by whether it is to be frozen.
_MAKERS: Final[dict[bool, tuple[Callable[[], dict[str, Any]], Callable[[], list[Any]]]]] = {
    True: (FrozenDict, FrozenList),
    False: (dict, list),
}


#: Parts of a pointer beyond which its middle is left out.
_SHOWN_LEVELS: Final = 20


class _Frame:
    """A container being copied."""

    __slots__ = ("items", "key", "source", "target")

    def __init__(
        self, source: object, items: Iterator[tuple[Any, Any]], target: dict[str, Any] | list[Any]
    ) -> None:
        self.source = source
        self.items = items
        self.target = target
        self.key: object = None


def snapshot(
    value: object,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    freeze: bool = True,
    records: frozenset[type[Any]] = frozenset(),
) -> Json:
    """Check and copy `value` in one pass; the copy shares nothing mutable with it.

    Args:
        max_bytes: Bound on the copy's size, judged while copying; what is shared counts each time.
        max_depth: Bound on nesting.
        freeze: Give `FrozenDict` and `FrozenList`; otherwise plain containers.
        records: Exact dict subclasses of ours that are read as plain dicts.

    Raises:
        InvalidValueError: Something in it is not lossless JSON; every fault is listed with its
            pointer, up to `MAX_VIOLATIONS`.
    """
    new_dict, new_list = _MAKERS[freeze]
    root: list[Any] = []
    frames = [_Frame(None, iter(((0, value),)), root)]
    violations: list[Violation] = []
    ancestors: set[int] = set()
    size = 0
    while frames:
        frame = frames[-1]
        target = frame.target
        for key, item in frame.items:
            frame.key = key
            kind = _type_of(item)
            copied: Any = item
            fault = ""
            child: _Frame | None = None
            if kind is str:
                size += len(item) + 2
                if not item.isascii():
                    fault, extra = _text_fault(item)
                    size += extra
            elif kind is bool or item is None:
                size += 4
            elif kind is int:
                size += 8
                if not _INT_MIN <= item <= _INT_MAX:
                    fault = "an integer outside the signed 64-bit range; send it as a string"
            elif kind is float:
                size += 8
                if item != item or item in (_INFINITY, -_INFINITY):
                    fault = "NaN and infinities are not JSON; send None or a string"
            elif kind in _LISTS or kind in _DICTS or kind in records:
                size += 2
                if id(item) in ancestors:
                    fault = "the value contains itself"
                elif len(frames) > max_depth:
                    fault = f"nested deeper than {max_depth} levels"
                elif kind in _LISTS:
                    copied = new_list()
                    elements: Iterable[Any] = item
                    child = _Frame(item, enumerate(elements), copied)
                else:
                    copied = new_dict()
                    child = _Frame(item, iter(_DICTS.get(kind, _items)(item)), copied)
            else:
                fault = refusal(item)
            if type(target) in (list, FrozenList):
                _append(cast("list[Any]", target), copied)
            else:
                if type(key) is not str:
                    fault = f"keys must be str, not {type_name(_type_of(key))}; use str(key)"
                    key = f"<{type_name(_type_of(key))}>"
                else:
                    size += len(key) + 2
                    if not key.isascii():
                        key_fault, extra = _text_fault(key)
                        size += extra
                        fault = fault or (key_fault and f"in the key: {key_fault}")
                _set_item(cast("dict[str, Any]", target), key, copied)
            if fault:
                violations.append(Violation(_pointer(frames), fault))
                if len(violations) >= MAX_VIOLATIONS:
                    raise InvalidValueError(tuple(violations))
                continue
            if size > max_bytes:
                violations.append(Violation(_pointer(frames), f"larger than {max_bytes} bytes"))
                raise InvalidValueError(tuple(violations))
            if child is not None:
                ancestors.add(id(item))
                frames.append(child)
                break
        else:
            frames.pop()
            ancestors.discard(id(frame.source))
    if violations:
        raise InvalidValueError(tuple(violations))
    return cast("Json", root[0])


def thaw(value: Json) -> Any:
    """A mutable copy of a snapshot, as plain dicts and lists."""
    return snapshot(value, freeze=False, max_bytes=1 << 62)


def _text_fault(text: str) -> tuple[str, int]:
    """The fault of a text that is not ASCII, and how many bytes more than characters it takes."""
    try:
        return "", len(text.encode()) - len(text)
    except UnicodeEncodeError:
        return "the text has lone surrogates; encode it or drop them", 0


def _pointer(frames: list[_Frame]) -> str:
    parts = (
        str(f.key) if type(f.key) in (str, int) else f"<{type_name(type(f.key))}>"
        for f in frames[1:]
    )
    shown = ["/" + part[:200].replace("~", "~0").replace("/", "~1") for part in parts]
    if len(shown) > _SHOWN_LEVELS:
        half = _SHOWN_LEVELS // 2
        shown[half:-half] = [f"/[{len(shown) - 2 * half} levels]"]
    return "".join(shown)
