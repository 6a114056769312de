"""docs/language.md, made from the same tables that the policy is made from."""

from __future__ import annotations

from collections.abc import Iterator

from codemode.sandbox.language import attributes, modules, names
from codemode.sandbox.language.table import TABLE

_HEAD = """\
# The language

Made by `python -m codemode.sandbox.language`; do not edit.

Programs are ordinary Python. A program that runs under CPython, uses the modules below and does
nothing that this page refuses runs here with the same output. The language policy is depth and the
source of good messages: what keeps a program inside is the kernel (docs/security.md).

## The result of a program

1. The value of a `return` at the top level; the program is then the body of a function whose
   top-level names are global.
2. Else the value of the last expression.
3. Else, when nothing was printed, the value that the last statement assigns to a plain name.

`await`, `async for` and `async with` work at the top level.

## Attributes

An attribute is compiled as written unless its name needs the object: then a check runs. The same
decision is made for dotted access, `getattr` and its kin, class patterns, `operator.attrgetter` and
format strings.

- Attributes may be set on objects of the program's own: its classes, their instances and functions,
  errors that it caught, and library objects that are meant to be filled (of many of those, such as
  threads, streams and syntax trees, public attributes only).
- A name with one leading underscore is the program's own business. Where the library spells a
  name the same way, the object must be the program's own.
- Written out, `error.__traceback__.tb_lineno` is a line, and `f.__code__.co_argcount`, its kin and
  `f.__code__.co_varnames` are told of the program's own functions.
"""


def document() -> str:
    """The whole page."""
    return (
        "\n".join(
            [
                _HEAD,
                *_attributes(),
                *_builtins(),
                *_modules(),
                *_syntax(),
            ]
        )
        + "\n"
    )


def _attributes() -> Iterator[str]:
    yield "Refused on every object: " + _codes(sorted(attributes.INTERNALS)) + ".\n"
    yield "Special methods that a class may define: " + _codes(sorted(attributes.DEFINABLE)) + ".\n"
    yield "| special name | use instead |\n|---|---|"
    for name, instead in sorted(attributes.ALTERNATIVES.items()):
        yield f"| `{name}` | {instead} |"
    yield ""


def _builtins() -> Iterator[str]:
    yield "## Builtins that are not there\n\n| builtin | why | use instead |\n|---|---|---|"
    for name, (reason, instead) in sorted(names.WITHHELD_BUILTINS.items()):
        yield f"| `{name}` | {reason} | {instead} |"
    yield "\n`locals()` works inside functions; `type(name, bases, body)` makes checked classes.\n"


def _modules() -> Iterator[str]:
    yield "## Modules\n\n| module | withheld names |\n|---|---|"
    for row in sorted(modules.TABLE, key=lambda row: row.name):
        by_reason: dict[str, list[str]] = {}
        for withheld, reason in sorted(row.withheld.items()):
            if withheld in modules.OF_THE_GUEST.get(row.name, ()):
                continue
            instead = modules.instead(row.name, withheld, reason)
            told = f"{reason}; use {instead} instead" if instead else reason
            by_reason.setdefault(told, []).append(withheld)
        shown = "; ".join(f"{_codes(listed)}: {told}" for told, listed in by_reason.items())
        yield f"| `{row.name}` | {shown} |"
    yield "\nNot there:\n\n| module | why | use instead |\n|---|---|---|"
    for name, (reason, instead) in sorted(modules.MISSING.items()):
        yield f"| `{name}` | {reason} | {instead} |"
    yield ""


def _syntax() -> Iterator[str]:
    yield "## Syntax nodes\n\n| node | decision | reason |\n|---|---|---|"
    for row in TABLE:
        since = f" (since {row.since})" if row.since else ""
        instead = f"; use `{row.alternative}`" if row.alternative else ""
        yield f"| `{row.node}`{since} | {row.decision} | {row.reason}{instead} |"


def _codes(items: list[str]) -> str:
    return ", ".join(f"`{item}`" for item in items)
