"""Exceptions as text: bounded, one layer deep, and total even for hostile ones.

What a model reads of a failure is `Error: ` and a message. A traceback never is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, cast

MAX_MESSAGE: Final = 8_000
#: Most errors of a group that are told, and how long each may be.
MAX_INSIDE: Final = 5
MAX_PART: Final = 1_000
PREFIX: Final = "Error: "


def describe_exception(error: BaseException, *, max_characters: int = MAX_MESSAGE) -> str:
    """The exception's own message, or its type's name when it has none or will not say."""
    try:
        text = str(error)
    except BaseException as raised:  # a stranger's __str__ may raise anything
        if isinstance(raised, (KeyboardInterrupt, SystemExit)):
            raise
        text = ""
    if type(text) is not str or not text.strip():
        return type_name(error)
    if isinstance(error, KeyError):
        text = f"KeyError: {text}"  # its own text is the key alone
    leaves = islice(_leaves(error), MAX_INSIDE)
    text += "".join(f"; {_as_part(leaf)}" for leaf in leaves if leaf is not error)
    return clip(encodable(text), max_characters)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors of a group, whose own text only counts them; one that is no group is its own."""
    if not isinstance(error, BaseExceptionGroup):
        yield error
        return
    for part in cast("Any", error).exceptions:
        yield from _leaves(part)


def _as_part(error: BaseException) -> str:
    name, said = type_name(error), describe_exception(error, max_characters=MAX_PART)
    return said if said.startswith(name) else f"{name}: {said}"


def type_name(error: BaseException) -> str:
    """The name of the exception's type, whatever its metaclass does."""
    name = type.__getattribute__(type(error), "__name__")
    return name[:200] if type(name) is str and name else "Exception"


def encodable(text: str) -> str:
    """`text` with lone surrogates replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def escaped(text: str) -> str:
    """`text` with lone surrogates as JSON escapes them, so that JSON text keeps its meaning."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def clip(text: str, max_characters: int) -> str:
    """`text`, or its head with a note of how much is missing."""
    if len(text) <= max_characters:
        return text
    return f"{text[:max_characters]}... ({len(text) - max_characters} characters more)"
