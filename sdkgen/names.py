"""Python names for wire names: stable, reversible, and decided without looking at the order.

A wire name that is already a usable identifier keeps it; the others get an alias that depends on
the name alone, with a suffix made of its digest where two names meet. Pure functions of sets of
names; never raises.

Source: the Python language reference, 2.3 "Identifiers and keywords" (NFKC).
"""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from codemode.sdkgen.text import without_hidden

#: Globals of a program that no group may take.
RESERVED_GLOBALS: Final = frozenset({"tools", "catalog", "ToolCallError", *dir(builtins)})

_MAX_LENGTH: Final = 80
_NOT_WORD: Final = re.compile(r"\W+")


def identifier(name: str, *, fallback: str) -> str:
    """The identifier for `name`, looking at nothing else.

    Leading underscores go: programs may not reach attributes that begin with one.

    Args:
        name: Any text.
        fallback: Used where nothing of `name` is left, such as for an emoji.
    """
    if name.isascii() and name.isidentifier() and name[0] != "_" and len(name) <= _MAX_LENGTH:
        return name + "_" if keyword.iskeyword(name) else name
    plain = without_hidden(unicodedata.normalize("NFKC", name))
    if not plain.isidentifier() or plain[0] == "_":
        plain = _NOT_WORD.sub("_", plain).strip("_")
    plain = plain[:_MAX_LENGTH]
    if plain[:1].isdigit():
        plain = "n" + plain
    if not plain.isidentifier() or unicodedata.normalize("NFKC", plain) != plain:
        plain = fallback
    return plain + "_" if keyword.iskeyword(plain) else plain


def parameter_identifier(key: str) -> str:
    """The keyword under which a program passes the argument `key`.

    One leading underscore is kept: keywords are not attributes. Two are not: a class would mangle
    them.
    """
    if (
        key.isascii()
        and key.isidentifier()
        and not key.startswith("__")
        and len(key) <= _MAX_LENGTH
    ):
        return key + "_" if keyword.iskeyword(key) else key
    return identifier(key, fallback="arg")


def assign(
    names: Iterable[str], *, fallback: str = "tool", reserved: Iterable[str] = ()
) -> dict[str, str]:
    """Wire name -> identifier for one namespace; no two names share one.

    Names that already are identifiers win a collision, then the alphabetically first.
    """
    choices = {name: identifier(name, fallback=fallback) for name in names}
    return _separate(choices, reserved)


def assign_parameters(keys: Iterable[str]) -> dict[str, str]:
    """Argument key -> keyword for one signature. No alias equals another parameter's exact key."""
    return _separate({key: parameter_identifier(key) for key in keys}, ())


def _separate(choices: dict[str, str], reserved: Iterable[str]) -> dict[str, str]:
    if len(set(choices.values())) == len(choices) and not reserved:
        return choices
    taken = set(reserved)
    result = dict.fromkeys(choices, "")
    for name in sorted(choices, key=lambda name: (choices[name] != name, name)):
        choice = choices[name]
        # An exact name stays the property of its owner even when its owner could not keep it.
        if choice in taken or (choice != name and choice in choices):
            choice = _suffixed(choice, name, taken)
        taken.add(choice)
        result[name] = choice
    return result


def _suffixed(choice: str, name: str, taken: set[str]) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    length = 4
    base = choice.rstrip("_")
    while f"{base}_{digest[:length]}" in taken:
        length += 1
    return f"{base}_{digest[:length]}"
