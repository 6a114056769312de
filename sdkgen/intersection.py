"""The intersection of two shapes, for `allOf` and for keywords beside a `$ref`.

Where the exact intersection is not a shape, one side is given: it admits more, never less. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from codemode.sdkgen.shapes import (
    FLOAT,
    INT,
    AnyJson,
    Choice,
    Field,
    ListOf,
    MapOf,
    Named,
    Record,
    Scalar,
    Shape,
    Union,
    Value,
    union,
)

#: Most pairs of union branches that are multiplied out.
MAX_PAIRS: Final = 64

_KINDS: Final = {"str": "str", "int": "int", "float": "float", "bool": "bool", "NoneType": "None"}


def intersect(left: Shape, right: Shape, definitions: Mapping[str, Shape], depth: int = 0) -> Shape:
    """A shape that admits every value that both `left` and `right` admit."""
    if isinstance(left, AnyJson) or depth > 16:
        return right
    if isinstance(right, AnyJson) or left == right:
        return left
    if isinstance(left, Named) or isinstance(right, Named):
        return _named(left, right, definitions, depth)
    if isinstance(left, Union) or isinstance(right, Union):
        return _unions(left, right, definitions, depth)
    if isinstance(left, (Record, MapOf)) and isinstance(right, (Record, MapOf)):
        return _objects(left, right, definitions, depth)
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        return ListOf(intersect(left.items, right.items, definitions, depth + 1))
    if isinstance(left, Choice) and isinstance(right, (Choice, Scalar)):
        return _choice(left, right)
    if isinstance(right, Choice):
        return _choice(right, left) if isinstance(left, Scalar) else right
    if {left, right} == {INT, FLOAT}:
        return INT
    return left


def _named(left: Shape, right: Shape, definitions: Mapping[str, Shape], depth: int) -> Shape:
    if isinstance(left, Named) and isinstance(right, Named):
        return left
    name, other = (left, right) if isinstance(left, Named) else (right, left)
    body = definitions.get(name.pointer) if isinstance(name, Named) else None
    return other if body is None else intersect(body, other, definitions, depth + 1)


def _choice(choice: Choice, other: Choice | Scalar) -> Shape:
    if isinstance(other, Choice):
        kept = tuple(value for value in choice.values if value in other.values)
    else:
        wider = ("int", "float") if other == FLOAT else (other.name,)
        kept = tuple(value for value in choice.values if not _value_kinds(value).isdisjoint(wider))
    return Choice(kept) if kept else choice


def _value_kinds(value: tuple[str, Value]) -> frozenset[str]:
    kind, content = value
    # JSON does not tell 1.0 from 1.
    is_whole = isinstance(content, float) and content.is_integer()
    return frozenset({"int", "float"} if is_whole else {_KINDS[kind]})


def _unions(left: Shape, right: Shape, definitions: Mapping[str, Shape], depth: int) -> Shape:
    ours = left.options if isinstance(left, Union) else (left,)
    theirs = right.options if isinstance(right, Union) else (right,)
    if len(ours) * len(theirs) > MAX_PAIRS:
        return left
    pairs = [(a, b) for a in ours for b in theirs if _may_meet(a, b)]
    return union([intersect(a, b, definitions, depth + 1) for a, b in pairs]) if pairs else left


def _may_meet(left: Shape, right: Shape) -> bool:
    return bool(_kinds(left) & _kinds(right))


def _kinds(shape: Shape) -> frozenset[str]:
    match shape:
        case Scalar("float"):
            return frozenset({"int", "float"})
        case Scalar(name):
            return frozenset({name})
        case Choice(values):
            return frozenset[str]().union(*map(_value_kinds, values))
        case Record() | MapOf():
            return frozenset({"object"})
        case AnyJson() | Named() | Union():
            return frozenset({"str", "int", "float", "bool", "None", "object", "array"})
        case _:
            return frozenset({"array"})


def _objects(
    left: Record | MapOf, right: Record | MapOf, definitions: Mapping[str, Shape], depth: int
) -> Shape:
    if isinstance(left, MapOf):
        if isinstance(right, MapOf):
            return MapOf(intersect(left.values, right.values, definitions, depth + 1))
        return right
    if isinstance(right, MapOf):
        return left
    merged = {field.key: field for field in left.fields}
    for field in right.fields:
        known = merged.get(field.key)
        if known is None:
            merged[field.key] = field
        else:
            shape = intersect(known.shape, field.shape, definitions, depth + 1)
            merged[field.key] = Field(field.key, shape, known.required or field.required)
    extra = left.extra if right.extra is None else right.extra
    return Record(tuple(merged.values()), extra, left.is_closed or right.is_closed)
