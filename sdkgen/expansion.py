"""How many nodes of a schema apply to one and the same value, with references followed.

A few references that double at every level are a few lines of schema and the work of ages; a cycle
of them never ends. Both are seen here, and neither is ever followed. Pure; never raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from codemode.sdkgen.documents import list_of, reference_fault, resolve

#: Most schema nodes that may apply to one and the same value.
MAX_IN_PLACE: Final = 4_000
#: Longest chain of references in one place.
MAX_CHAIN: Final = 100

#: Keywords whose schemas apply to the same value as the node that has them.
IN_PLACE: Final = ("allOf", "anyOf", "oneOf")
_IN_PLACE_ONE: Final = ("not", "if", "then", "else")
_PLACES: Final = frozenset({*IN_PLACE, "$ref"})


class Expansion:
    """The nodes of one schema, counted; make another when the schema has changed."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root
        self._costs: dict[int, int] = {}

    def exceeds(self, node: object) -> bool:
        """Whether more than `MAX_IN_PLACE` nodes apply to a value that `node` is for."""
        return self._cost(node, set()) > MAX_IN_PLACE

    def _cost(self, node: object, open_nodes: set[int]) -> int:
        if not isinstance(node, dict):
            return 1
        schema = cast("dict[str, object]", node)
        identity = id(schema)
        if identity in self._costs:
            return self._costs[identity]
        if identity in open_nodes or len(open_nodes) > MAX_CHAIN:
            return MAX_IN_PLACE + 1
        open_nodes.add(identity)
        total = 1
        for word in IN_PLACE:
            total += sum(self._cost(part, open_nodes) for part in list_of(schema.get(word)))
        total += sum(
            self._cost(schema[word], open_nodes) for word in _IN_PLACE_ONE if word in schema
        )
        if "$ref" in schema:
            total += self._cost(resolve(self._root, schema["$ref"]), open_nodes)
        open_nodes.discard(identity)
        self._costs[identity] = total
        return total


def is_bounded(root: dict[str, object]) -> bool:
    """Whether every reference leads somewhere in the document, and none expands without bound.

    What looks like a schema in a default or an enum is judged like one; that errs on the safe side.
    """
    expansion = Expansion(root)
    pending: list[object] = [root]
    for value in pending:
        if type(value) is dict:
            node = cast("dict[str, object]", value)
            if "$ref" in node and reference_fault(root, node["$ref"]):
                return False
            if not _PLACES.isdisjoint(node) and expansion.exceeds(node):
                return False
            pending.extend(node.values())
        elif type(value) is list:
            pending.extend(cast("list[object]", value))
    return True
