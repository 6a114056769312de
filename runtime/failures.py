"""Exceptions as text: bounded, one layer deep, and total even for hostile ones.

What a model reads of a failure is `Error: ` and a message. A traceback never is.
"""

from __future__ import annotations

from typing import Final

MAX_MESSAGE: Final = 8_000
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
    return clip(encodable(text), max_characters)


def type_name(error: BaseException) -> str:
    """The name of the exception's type, whatever its metaclass does."""
    name = type.__getattribute__(type(error), "__name__")
    return name[:200] if type(name) is str and name else "Exception"


def encodable(text: str) -> str:
    """`text` with lone surrogates replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def clip(text: str, max_characters: int) -> str:
    """`text`, or its head with a note of how much is missing."""
    if len(text) <= max_characters:
        return text
    return f"{text[:max_characters]}... ({len(text) - max_characters} characters more)"
