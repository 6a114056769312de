"""JSON Schema -> shapes: what a Python type can say of a schema, and notes on what it cannot.

Draft-07 and 2020-12. A node that a type cannot express degrades to 'any JSON' by itself, with a
note. The result always admits at least what the schema admits, so that no rendering forbids a valid
call. Work is bounded whatever the schema: references are read once and expanded within a budget.
Pure; never raises.

Source: JSON Schema 2020-12, core 10 and 11; validation 6.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from codemode.sdkgen.documents import (
    TYPE_ALIASES,
    child,
    is_nullable,
    list_of,
    reference_fault,
    resolve,
)
from codemode.sdkgen.intersection import intersect
from codemode.sdkgen.shapes import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NULL,
    STR,
    AnyJson,
    Choice,
    Field,
    ListOf,
    MapOf,
    Named,
    Record,
    Shape,
    TupleOf,
    Value,
    union,
)

#: Most schema nodes that one reading expands; references beyond it stay names.
MAX_EXPANDED: Final = 600
#: Deepest nesting of nodes, references followed.
MAX_NESTING: Final = 48
#: Most values of an enum that a type lists.
MAX_CHOICES: Final = 400
#: Most branches of a union that a type lists.
MAX_BRANCHES: Final = 24

_SCALARS: Final = {"string": STR, "integer": INT, "number": FLOAT, "boolean": BOOL, "null": NULL}
_OBJECT_WORDS: Final = frozenset({"properties", "additionalProperties", "patternProperties"})
#: Keywords beside a $ref that change the type of what it names.
_TYPING: Final = frozenset(
    {
        "type",
        "enum",
        "const",
        "properties",
        "items",
        "prefixItems",
        "additionalProperties",
        "required",
    }
    | {"allOf", "anyOf", "oneOf", "patternProperties"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A node that a type cannot express, and why."""

    pointer: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a schema says in types.

    Attributes:
        definitions: The bodies of `Named` shapes, by pointer.
        notes: Degraded nodes, in document order.
    """

    shape: Shape
    definitions: Mapping[str, Shape]
    notes: tuple[Note, ...] = ()


def read(schema: Mapping[str, object]) -> Reading:
    """Read a whole schema document, as `documents.own_copy` gives it."""
    reader = _Reader(schema)
    shape = reader.read(schema, "")
    return Reading(shape=shape, definitions=reader.definitions, notes=tuple(reader.notes))


class _Reader:
    def __init__(self, root: Mapping[str, object]) -> None:
        self.root = root
        self.definitions: dict[str, Shape] = {}
        self.notes: list[Note] = []
        self._done: dict[str, tuple[Shape, int]] = {}
        self._open: set[str] = set()
        self._recursive: set[str] = set()
        self._expanded = 0
        self._depth = 0

    def read(self, schema: object, pointer: str) -> Shape:
        if not isinstance(schema, dict):
            return ANY
        node = cast("dict[str, object]", schema)
        self._expanded += 1
        if self._depth > MAX_NESTING:
            return self._degraded(pointer, f"nested deeper than {MAX_NESTING} schemas")
        self._depth += 1
        shape = self._node(node, pointer)
        self._depth -= 1
        return shape

    def _node(self, node: dict[str, object], pointer: str) -> Shape:
        if "$ref" in node:
            target = self._reference(node["$ref"], pointer)
            if _TYPING.isdisjoint(node):
                return target
            own = self._without_reference(node, pointer)
            return intersect(target, own, self.definitions)
        return self._without_reference(node, pointer)

    def _without_reference(self, node: dict[str, object], pointer: str) -> Shape:
        shape = self._own(node, pointer)
        if "allOf" in node:
            for at, part in enumerate(list_of(node["allOf"])):
                shape = intersect(
                    shape, self.read(part, child(pointer, "allOf", at)), self.definitions
                )
        for word in ("anyOf", "oneOf"):
            if word in node:
                shape = intersect(
                    shape, self._branches(node[word], child(pointer, word)), self.definitions
                )
        return shape

    def _branches(self, branches: object, pointer: str) -> Shape:
        parts = list_of(branches)
        if len(parts) > MAX_BRANCHES:
            return self._degraded(pointer, f"a union of {len(parts)} branches")
        return union([self.read(part, child(pointer, at)) for at, part in enumerate(parts)])

    def _reference(self, reference: object, pointer: str) -> Shape:
        fault = reference_fault(self.root, reference)
        if fault:
            return self._degraded(pointer, fault)
        key = cast("str", reference)
        name = Named(key, key.rsplit("/", 1)[-1] if len(key) > 1 else "Root")
        if key in self._open or (key == "#" and not self._open):
            self._recursive.add(key)
            if key == "#" and key not in self._open:
                return self._root_reference(name)
            return name
        if key in self._done:
            shape, size = self._done[key]
            if self._expanded + size > MAX_EXPANDED and size > 1:
                self.definitions[key] = shape
                return name
            self._expanded += size
            return shape
        return self._define(key, name)

    def _root_reference(self, name: Named) -> Shape:
        # The root is being read without a name: its body is read once more, under one.
        return self._define("#", name) if "#" not in self.definitions else name

    def _define(self, key: str, name: Named) -> Shape:
        before = self._expanded
        self._open.add(key)
        shape = self.read(resolve(self.root, key), key.lstrip("#"))
        self._open.discard(key)
        if shape == name:
            shape = ANY
        if key in self._recursive:
            self.definitions[key] = shape
            shape = name if not isinstance(shape, AnyJson) else ANY
        self._done[key] = shape, self._expanded - before
        return shape

    def _own(self, node: dict[str, object], pointer: str) -> Shape:
        shape = self._declared(node, pointer)
        return union([shape, NULL]) if is_nullable(node) else shape

    def _declared(self, node: dict[str, object], pointer: str) -> Shape:
        if "const" in node:
            return self._choice([node["const"]], pointer)
        if "enum" in node:
            values = list_of(node["enum"])
            return self._choice(values, pointer) if values else ANY
        declared = node.get("type")
        if isinstance(declared, list):
            return union(
                [self._typed(word, node, pointer) for word in cast("list[object]", declared)]
            )
        if declared is not None:
            return self._typed(declared, node, pointer)
        if not _OBJECT_WORDS.isdisjoint(node):
            return self._object(node, pointer)
        if "items" in node or "prefixItems" in node:
            return self._array(node, pointer)
        return ANY

    def _typed(self, word: object, node: dict[str, object], pointer: str) -> Shape:
        if isinstance(word, str):
            name = word if word in _SCALARS else TYPE_ALIASES.get(word.lower(), word.lower())
            if name in _SCALARS:
                return _SCALARS[name]
            if name == "object":
                return self._object(node, pointer)
            if name == "array":
                return self._array(node, pointer)
            if name == "any":
                return ANY
        return self._degraded(pointer, f"the type {str(word)[:40]!r} is unknown")

    def _choice(self, values: list[object], pointer: str) -> Shape:
        if len(values) > MAX_CHOICES:
            names = {type(value).__name__ for value in values}
            self._degraded(pointer, f"an enum of {len(values)} values")
            return (
                {"str": STR, "int": INT, "float": FLOAT}.get(names.pop(), ANY)
                if len(names) == 1
                else ANY
            )
        options: list[Shape] = []
        scalars: list[tuple[str, Value]] = []
        for value in values:
            if isinstance(value, dict):
                options.append(MapOf(ANY))
            elif isinstance(value, list):
                options.append(ListOf(ANY))
            else:
                scalar = cast("Value", value)
                scalars.append((type(scalar).__name__, scalar))
        if scalars:
            options.insert(0, Choice(tuple(dict.fromkeys(scalars))))
        return union(options)

    def _array(self, node: dict[str, object], pointer: str) -> Shape:
        items = node.get("items")
        word = "prefixItems" if "prefixItems" in node else "items"
        parts = list_of(node.get(word))
        if parts:
            rest = items if word == "prefixItems" else node.get("additionalItems")
            most = node.get("maxItems")
            if isinstance(most, int) and most <= len(parts):
                rest = False
            return TupleOf(
                tuple(self.read(part, child(pointer, word, at)) for at, part in enumerate(parts)),
                None if rest is False else self.read(rest, child(pointer, "items")),
            )
        return ListOf(self.read(items, child(pointer, "items")))

    def _object(self, node: dict[str, object], pointer: str) -> Shape:
        properties = node.get("properties")
        required = {name for name in list_of(node.get("required")) if isinstance(name, str)}
        fields: list[Field] = []
        if isinstance(properties, dict):
            for key, value in cast("dict[str, object]", properties).items():
                shape = self.read(value, child(pointer, "properties", key))
                fields.append(Field(key, shape, key in required))
                required.discard(key)
        if required:
            fields.extend(Field(key, ANY, True) for key in sorted(required))
        extra = self._extra(node, pointer)
        is_closed = _is_closed(node)
        if not fields and not is_closed:
            return MapOf(ANY if extra is None else extra)
        return Record(tuple(fields), extra, is_closed)

    def _extra(self, node: dict[str, object], pointer: str) -> Shape | None:
        shapes: list[Shape] = []
        patterns = node.get("patternProperties")
        if isinstance(patterns, dict):
            for pattern, value in cast("dict[str, object]", patterns).items():
                shapes.append(self.read(value, child(pointer, "patternProperties", pattern)))
        additional = node.get("additionalProperties")
        if isinstance(additional, dict):
            shapes.append(
                self.read(cast("object", additional), child(pointer, "additionalProperties"))
            )
        elif additional is True or (shapes and additional is None):
            return ANY
        return union(shapes) if shapes else None

    def _degraded(self, pointer: str, reason: str) -> Shape:
        self.notes.append(Note(pointer=pointer, reason=reason))
        return ANY


def _is_closed(node: Mapping[str, object]) -> bool:
    is_shut = (
        node.get("additionalProperties") is False or node.get("unevaluatedProperties") is False
    )
    return is_shut and not node.get("patternProperties")
