"""Shapes: the small type language between JSON Schema and its renderings.

A shape says what a Python type can say, and nothing else; bounds and patterns stay with the
validator. Immutable and hashable, so equal shapes share a class in the stubs. Data only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

ScalarName = Literal["str", "int", "float", "bool", "None"]
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class AnyJson:
    """Any JSON value: the schema says nothing that a type can say."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """One of Python's own scalar types; `float` includes whole numbers."""

    name: ScalarName


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values, with types: True is not 1."""

    values: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of one shape."""

    items: Shape


@dataclass(frozen=True, slots=True)
class TupleOf:
    """A list whose first items have shapes of their own; `rest` is None when none may follow."""

    items: tuple[Shape, ...]
    rest: Shape | None


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object used as a dictionary."""

    values: Shape


@dataclass(frozen=True, slots=True)
class Field:
    """One declared key of an object."""

    key: str
    shape: Shape
    required: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """An object with declared keys.

    Attributes:
        extra: The shape of undeclared keys; None where they are refused or not mentioned.
        is_closed: Undeclared keys are refused.
    """

    fields: tuple[Field, ...]
    extra: Shape | None = None
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Union:
    """One of several shapes; flat, without repetitions, never with `AnyJson`."""

    options: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A reference to a definition of the same document that contains itself.

    Attributes:
        pointer: The reference as the document spells it, such as `#/$defs/Node`.
        name: A short name for people, such as `Node`.
    """

    pointer: str
    name: str


Shape = AnyJson | Scalar | Choice | ListOf | TupleOf | MapOf | Record | Union | Named

ANY: Final = AnyJson()
STR: Final = Scalar("str")
INT: Final = Scalar("int")
FLOAT: Final = Scalar("float")
BOOL: Final = Scalar("bool")
NULL: Final = Scalar("None")


def union(options: list[Shape]) -> Shape:
    """The flat union of some shapes; `ANY` swallows the rest, and an empty list is `ANY`."""
    flat: list[Shape] = []
    for option in options:
        for part in option.options if isinstance(option, Union) else (option,):
            if isinstance(part, AnyJson):
                return ANY
            if part not in flat:
                flat.append(part)
    choices = [part for part in flat if isinstance(part, Choice)]
    if len(choices) > 1:
        values = tuple(dict.fromkeys(value for choice in choices for value in choice.values))
        merged: Shape = Choice(values)
        first = flat.index(choices[0])
        flat = [
            merged if at == first else part
            for at, part in enumerate(flat)
            if at == first or not isinstance(part, Choice)
        ]
    if not flat:
        return ANY
    return flat[0] if len(flat) == 1 else Union(tuple(flat))


def allows_object(shape: Shape) -> bool:
    """Whether a dict may be a value of `shape`."""
    if isinstance(shape, Union):
        return any(allows_object(option) for option in shape.options)
    return isinstance(shape, (AnyJson, MapOf, Record, Named))
