"""Where in a schema the node for a place in a value stands. Pure; never raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from codemode.sdkgen.documents import object_of, resolve


def keys_of(pointer: str) -> list[str]:
    """The keys and indices that a JSON Pointer names."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def node_at(schema: Mapping[str, object], pointer: str) -> Mapping[str, object] | None:
    """The node for the value at `pointer`, where properties and items alone lead to it."""
    node: object = schema
    for part in keys_of(pointer):
        node = _descend(schema, node, part)
    return followed(schema, node)


def followed(root: Mapping[str, object], node: object) -> Mapping[str, object] | None:
    """The node itself, or the one that its references lead to."""
    for _ in range(20):
        if not isinstance(node, Mapping):
            return None
        schema = cast("Mapping[str, object]", node)
        if "$ref" not in schema:
            return schema
        node = resolve(root, schema["$ref"])
    return None


def _descend(root: Mapping[str, object], node: object, part: str) -> object:
    schema = followed(root, node)
    if schema is None:
        return None
    properties = object_of(schema.get("properties"))
    if part in properties:
        return properties[part]
    return schema.get("items") if part.isdecimal() else schema.get("additionalProperties")
