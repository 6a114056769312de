"""Schemas as documents: a bounded copy that nothing later can choke on, and local references.

No reference leaves the document: there is no loader here to ask. Pure; never raises on anything
that `json.loads` can give, nor on Python values that JSON does not know.

Source: JSON Schema 2020-12, 8.2 "Base URI, anchors and dereferencing"; RFC 6901 (JSON Pointer).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Final, cast
from urllib.parse import unquote

#: Deepest nesting of a schema that is looked at, in JSON levels.
MAX_DEPTH: Final = 64
#: Most objects and lists of one schema that are looked at.
MAX_NODES: Final = 50_000

#: Type names that tools use though JSON Schema has other ones.
TYPE_ALIASES: Final = {
    "dict": "object",
    "map": "object",
    "struct": "object",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "int": "integer",
    "long": "integer",
    "bool": "boolean",
    "str": "string",
    "text": "string",
    "none": "null",
    "nonetype": "null",
}
TYPES: Final = frozenset({"object", "array", "number", "integer", "boolean", "string", "null"})

#: Keywords whose value is a schema, a list of schemas, or schemas by name.
IN_SCHEMA: Final = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
    }
    | {"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"}
)
IN_LIST: Final = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
IN_MAP: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
#: Keywords whose value is data, in which `$ref` means nothing.
DATA: Final = frozenset({"const", "default", "enum", "example", "examples"})

_ANCHOR: Final = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")


def own_copy(schema: object) -> tuple[dict[str, object], tuple[str, ...]]:
    """A plain, finite copy of a schema, and what was cut or could not be copied.

    Too deep or too many values become `{}`, which is any JSON; lone surrogates are replaced. A root
    that is not an object becomes `{}` or, for `False`, a schema that refuses everything.
    """
    if isinstance(schema, Mapping):
        copier = _Copier()
        copied = copier.copy(cast("object", schema), 0)
        return cast("dict[str, object]", copied), tuple(copier.notes)
    if schema is False:
        return {"not": {}}, ()
    if schema is True:
        return {}, ()
    return {}, (f"the schema is {type(schema).__name__}, not an object",)


class _Copier:
    def __init__(self) -> None:
        self.left = MAX_NODES
        self.notes: list[str] = []

    def copy(self, value: object, depth: int) -> object:
        kind = type(value)
        if kind is str:
            text = cast("str", value)
            return text if text.isascii() else self._text(text)
        if kind is bool or value is None or kind is int or kind is float:
            return value
        self.left -= 1
        if depth > MAX_DEPTH or self.left < 0:
            self._note(
                f"deeper than {MAX_DEPTH} levels"
                if self.left >= 0
                else f"more than {MAX_NODES} objects and lists"
            )
            return {}
        if isinstance(value, (list, tuple)):
            return [self.copy(item, depth + 1) for item in cast("list[object]", value)]
        # The first type answers for nearly every object, without asking an abstract class.
        if isinstance(value, (dict, Mapping)):
            items = cast("Mapping[object, object]", value).items()
            return {
                key if type(key) is str and key.isascii() else self._text(str(key)): self.copy(
                    item, depth + 1
                )
                for key, item in items
            }
        self._note(f"a {kind.__name__} is not JSON")
        return {}

    def _text(self, text: str) -> str:
        try:
            text.encode()
        except UnicodeEncodeError:
            self._note("text with lone surrogates, which is no JSON")
            return text.encode("utf-8", "replace").decode()
        return text

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def is_nullable(node: Mapping[str, object]) -> bool:
    """Whether a node says, in OpenAPI's words, that null is a value beside those of its type.

    JSON Schema does not know the keyword; authors who write it mean it.
    """
    return node.get("nullable") is True and "type" in node


def object_of(value: object) -> Mapping[str, object]:
    """The object that stands here, or an empty one where a schema has something else."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def list_of(value: object) -> list[object]:
    """The list that stands here, or an empty one where a schema has something else."""
    return cast("list[object]", value) if isinstance(value, list) else []


def resolve(root: Mapping[str, object], reference: object) -> Mapping[str, object] | bool | None:
    """The schema that a reference names, or None when it is dangling or leaves the document."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    fragment = unquote(reference[1:])
    target: object = root
    if fragment and not fragment.startswith("/"):
        target = _anchored(root, fragment) if _ANCHOR.fullmatch(fragment) else None
    elif fragment:
        for raw in fragment[1:].split("/"):
            part = raw.replace("~1", "/").replace("~0", "~")
            if isinstance(target, list):
                items = cast("list[object]", target)
                target = items[int(part)] if part.isdecimal() and int(part) < len(items) else None
            else:
                target = object_of(target).get(part)
    if isinstance(target, bool):
        return target
    return cast("Mapping[str, object]", target) if isinstance(target, Mapping) else None


def _anchored(root: Mapping[str, object], anchor: str) -> object:
    pending: list[object] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            node = cast("Mapping[str, object]", node)
            if anchor in (node.get("$anchor"), node.get("$dynamicAnchor")):
                return node
            pending.extend(value for key, value in node.items() if key not in DATA)
        elif isinstance(node, list):
            pending.extend(cast("list[object]", node))
    return None


def reference_fault(root: Mapping[str, object], reference: object) -> str:
    """Why a reference cannot be followed; "" when it can."""
    if not isinstance(reference, str):
        return "$ref is not text"
    if not reference.startswith("#"):
        return f"$ref {reference[:80]!r} leaves the document and is not fetched"
    if resolve(root, reference) is None:
        return f"$ref {reference[:80]!r} names nothing in the document"
    return ""


def child(pointer: str, *parts: str | int) -> str:
    """The JSON Pointer of something inside `pointer`."""
    for part in parts:
        text = str(part)
        if "~" in text or "/" in text:
            text = text.replace("~", "~0").replace("/", "~1")
        pointer = f"{pointer}/{text}"
    return pointer


def digest(text: str) -> str:
    """SHA-256 of any text, as hexadecimal; lone surrogates are hashed as they stand."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
