"""Paths as programs give them: text, bytes, objects with `__fspath__`, or an open descriptor."""

from __future__ import annotations

import os
from typing import TypeAlias

AnyPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def text(
    path: AnyPath, function: str = "open", accepted: str = "string, bytes or os.PathLike"
) -> str:
    """The path as text; `function` and `accepted` word the message, as the interpreter does.

    Raises:
        TypeError: It is no path.
        ValueError: It has a NUL in it.
    """
    try:
        plain = os.fspath(path)
    except TypeError:
        kind = type(path).__name__
        raise TypeError(f"{function}: path should be {accepted}, not {kind}") from None
    name = os.fsdecode(plain)
    if "\0" in name:
        raise ValueError("embedded null byte")
    return name
