"""One look over a schema: is it JSON, and can it be compiled as its author wrote it?

Most schemas can, and need neither a copy nor a repair; this says which, in a few microseconds. What
it is not sure of it does not call plain. Exact types only, so no code of a caller's own class runs.
Pure; never raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from math import isfinite
from typing import Final, TypeAlias, cast

from codemode.sdkgen.documents import TYPES

#: Most values of a schema that are looked at.
MAX_VALUES: Final = 5_000

#: Keywords that can be referred to, refer by more than a pointer, or are not JSON Schema's.
_INTRICATE: Final = frozenset(
    {"$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef"}
    | {"nullable"}
)
_WORDS: Final = _INTRICATE | {"$ref"}
_Container: TypeAlias = "dict[object, object] | list[object]"

_INT_MIN: Final = -(1 << 63)
_INT_MAX: Final = (1 << 63) - 1


class Standing(Enum):
    """What a schema is, at a look."""

    #: JSON that refers to nothing, with types of JSON Schema's below the root; the compiler has the
    #: last word on its keywords.
    PLAIN = auto()
    #: The same, but for references from pointers to parts of the document, sound or not.
    REFERRING = auto()
    #: JSON with identifiers, or with words that are to be read as others.
    INTRICATE = auto()
    #: Not surely JSON: other types, integers beyond 64 bits, lone surrogates, or too large to tell.
    UNSURE = auto()


def survey(schema: object) -> Standing:
    """Look over a schema once."""
    if type(schema) is not dict:
        return Standing.UNSURE
    standing = Standing.PLAIN
    left = MAX_VALUES
    pending = [cast("_Container", schema)]
    for node in pending:
        left -= len(node)
        if left < 0:
            return Standing.UNSURE
        if type(node) is dict:
            for key in node:
                if type(key) is not str or not (key.isascii() or _is_utf8(key)):
                    return Standing.UNSURE
            said = node.get("type")
            is_misnamed = type(said) is str and said not in TYPES and node is not schema
            if is_misnamed or type(node.get("id")) is str:  # the `$id` of draft 4
                standing = Standing.INTRICATE
            elif not _WORDS.isdisjoint(node):
                refers = standing is not Standing.INTRICATE and _INTRICATE.isdisjoint(node)
                standing = Standing.REFERRING if refers else Standing.INTRICATE
            values: Iterable[object] = node.values()
        else:
            values = node
        for value in values:
            if type(value) is str:
                if not (value.isascii() or _is_utf8(value)):
                    return Standing.UNSURE
            elif type(value) is dict or type(value) is list:
                pending.append(cast("_Container", value))
            elif not (value is None or type(value) is bool or _is_number(value)):
                return Standing.UNSURE
    return standing


def _is_number(value: object) -> bool:
    """Whether it is a number that every part of the engine carries."""
    if type(value) is int:
        return _INT_MIN <= value <= _INT_MAX
    return type(value) is float and isfinite(value)


def _is_utf8(text: str) -> bool:
    """Whether it has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
