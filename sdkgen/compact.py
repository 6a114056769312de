"""Shapes -> the compact notation of the catalog: one line, inline objects, bounded.

`x?` marks what may be left out, a name without a type is a `str`, `…` marks what was cut, which
`describe` has. Pure; never raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from codemode.sdkgen.shapes import (
    AnyJson,
    Choice,
    Field,
    ListOf,
    MapOf,
    Named,
    Record,
    Scalar,
    Shape,
    TupleOf,
    Union,
)
from codemode.sdkgen.text import folded, literal

CUT: Final = "\u2026"


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much of a shape is written out.

    Attributes:
        depth: Levels of objects that are shown inline.
        choices: Values of an enum that are listed.
        fields: Keys of one object that are listed.
        characters: Longest text of one type; what is longer is shown with less depth.
    """

    depth: int
    choices: int
    fields: int
    characters: int


FULL: Final = Detail(depth=12, choices=400, fields=400, characters=20_000)
INPUT: Final = Detail(depth=4, choices=12, fields=40, characters=900)
OUTPUT: Final = Detail(depth=3, choices=6, fields=24, characters=500)
SHALLOW: Final = Detail(depth=0, choices=4, fields=0, characters=60)


def notation(shape: Shape, definitions: Mapping[str, Shape], detail: Detail) -> str:
    """The type as text, at the greatest depth within `detail` that fits its length."""
    if isinstance(shape, Scalar):
        return shape.name
    for depth in range(detail.depth, -1, -1):
        text = _Writer(definitions, detail, detail.characters).write(shape, depth)
        if len(text) <= detail.characters:
            return text
    return _head(shape)


def key_text(key: str) -> str:
    """An object's key: bare where it is a word, quoted otherwise."""
    if key.isidentifier() and key.isascii() and len(key) <= 80:
        return key
    text = literal(key)
    return text if len(text) <= 160 else literal(folded(key, 80))


def typed(name: str, annotation: str) -> str:
    """`name: annotation`; text, by far the commonest type, is said by the bare name."""
    return name if annotation == "str" else f"{name}: {annotation}"


def _head(shape: Shape) -> str:
    match shape:
        case ListOf() | TupleOf():
            return "list"
        case Record() | MapOf() | Named():
            return "dict"
        case Scalar(name):
            return name
        case Choice(values):
            kinds = dict.fromkeys("None" if kind == "NoneType" else kind for kind, _ in values)
            return "|".join(kinds)
        case Union(options):
            return "|".join(dict.fromkeys(_head(option) for option in options))
        case AnyJson():
            return "Any"


class _Writer:
    def __init__(self, definitions: Mapping[str, Shape], detail: Detail, budget: int) -> None:
        self._definitions = definitions
        self._detail = detail
        self._left = budget * 2
        self._shown: set[str] = set()

    def write(self, shape: Shape, depth: int) -> str:
        self._left -= 4
        if self._left < 0:
            return _head(shape)
        match shape:
            case Scalar(name):
                return name
            case Record(fields, extra, _):
                return self._record(fields, extra, depth)
            case ListOf(items):
                return "list" if isinstance(items, AnyJson) else f"list[{self.write(items, depth)}]"
            case Choice(values):
                return self._choice(values)
            case Union(options):
                return "|".join(dict.fromkeys(self.write(option, depth) for option in options))
            case MapOf(values):
                return (
                    "dict"
                    if isinstance(values, AnyJson)
                    else f"dict[str, {self.write(values, depth)}]"
                )
            case TupleOf(items, rest):
                parts = [self.write(item, depth) for item in items]
                return f"[{', '.join(parts)}{', ...' if rest is not None else ''}]"
            case Named(pointer, name):
                return self._named(pointer, name, depth)
            case AnyJson():
                return "Any"

    def _choice(self, values: tuple[tuple[str, object], ...]) -> str:
        most = self._detail.choices
        if len(values) > most + 2:
            shown = [_value(value) for _, value in values[:most]]
            return "|".join([*shown, CUT])
        return "|".join(_value(value) for _, value in values)

    def _record(self, fields: tuple[Field, ...], extra: Shape | None, depth: int) -> str:
        if depth <= 0 and fields:
            return "dict"
        parts = [self._field(field, depth - 1) for field in fields[: self._detail.fields]]
        if len(fields) > self._detail.fields:
            parts.append(CUT)
        elif extra is not None and not isinstance(extra, AnyJson):
            parts.append(f"*: {self.write(extra, depth - 1)}")
        return "{" + ", ".join(parts) + "}"

    def _field(self, field: Field, depth: int) -> str:
        mark = "" if field.required else "?"
        name = key_text(field.key)
        self._left -= len(name)
        return typed(f"{name}{mark}", self.write(field.shape, depth))

    def _named(self, pointer: str, name: str, depth: int) -> str:
        name = key_text(name) if name.isidentifier() else "Node"
        if pointer in self._shown or depth <= 0:
            return name if pointer in self._shown else "dict"
        body = self._definitions.get(pointer)
        if body is None:
            return "Any"
        self._shown.add(pointer)
        shown = self.write(body, depth)
        return f"{name}{shown}" if isinstance(body, Record) else f"{name}=({shown})"


def _value(value: object) -> str:
    text = literal(value)
    return text if len(text) <= 160 else CUT
