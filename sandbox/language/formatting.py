"""Format strings reach attributes by text; here the text is read before it is used.

A string whose fields name only plain attributes is given to the interpreter's own `str.format`; any
other is refused. `{x.__class__.__name__}` alone of the special names may be followed, to the name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from types import BuiltinMethodType, MethodDescriptorType
from typing import Any, Final

from codemode.sandbox.language.attributes import NAMES, Verdict
from codemode.sandbox.language.refusals import denied

#: The two C functions under `str.format` and `string.Formatter`.
_string: Final[Any] = importlib.import_module("_string")

_NAMES_OF_CLASS: Final = (["__class__", "__name__"], ["__class__", "__qualname__"])
_MAX_NESTING: Final = 3


def attribute_names(text: str, nesting: int = 0) -> Iterator[list[str]]:
    """The attribute chains of all replacement fields, those of nested specifications included.

    Raises:
        ValueError: The text is not a format string.
    """
    for _, field, specification, _ in _string.formatter_parser(text):
        if field is None:
            continue
        if "." in field:
            _, rest = _string.formatter_field_name_split(field)
            yield [name for is_attribute, name in rest if is_attribute]
        if specification and "{" in specification and nesting < _MAX_NESTING:
            yield from attribute_names(specification, nesting + 1)


def refused_name(text: str) -> str | None:
    """The first attribute in the format string `text` that may not be named there, if any.

    A text that is no format string is left for the formatting to complain about.
    """
    if "." not in text:
        return None
    try:
        return next(filter(None, map(_refused_in_chain, attribute_names(text))), None)
    except ValueError:
        return None


def _refused_in_chain(chain: list[str]) -> str | None:
    if chain[-2:] in _NAMES_OF_CLASS:
        chain = chain[:-2]
    return next((name for name in chain if NAMES.load(name) is not Verdict.PLAIN), None)


def vet(text: str) -> str:
    """Give back `text` if it is safe to format with.

    Raises:
        DeniedError: A field follows an attribute that is not open.
    """
    _deny(refused_name(text))
    return text


def _deny(name: str | None) -> None:
    if name is not None:
        raise denied(
            f"attribute {name!r} in a format string",
            "a format string follows only public attributes",
            "an f-string or an argument that holds the value",
        )


def method(value: Any, name: str) -> Any:
    """`value.format` or `value.format_map`, safe for strings and native for the rest."""
    found = getattr(value, name)  # also through an object that passes attributes on
    if type(found) is _BUILTIN and issubclass(type(found.__self__), str):
        return getattr(vet(str.__str__(found.__self__)), name)
    if type(found) is _DESCRIPTOR and found.__objclass__ is str:
        return _unbound(name)
    return found


def _unbound(name: str) -> Callable[..., str]:
    def format_by_class(text: Any, /, *args: Any, **kwargs: Any) -> str:
        if not isinstance(text, str):
            raise TypeError(
                f"descriptor {name!r} for 'str' objects doesn't apply to"
                f" a {type(text).__name__!r} object"
            )
        formatted: str = getattr(vet(str.__str__(text)), name)(*args, **kwargs)
        return formatted

    format_by_class.__name__ = name
    return format_by_class


_BUILTIN: Final[Any] = BuiltinMethodType
_DESCRIPTOR: Final[Any] = MethodDescriptorType


def split_field(field: str) -> tuple[Any, list[tuple[bool, Any]]]:
    """The first part of a replacement field, and the rest as (is an attribute, name or key).

    Raises:
        DeniedError: The field follows an attribute that is not open.
    """
    first, rest = _string.formatter_field_name_split(field)
    parts = list(rest)
    _deny(_refused_in_chain([name for is_attribute, name in parts if is_attribute]))
    return first, parts
