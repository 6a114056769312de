"""Find the faulty nodes of a schema, and replace each by what still can be checked.

Known misnomers of types are read as what they mean. References that leave the document, dangling
ones, patterns that need backtracking, and places that expand without bound become 'any JSON' by
themselves. Changes the copy that it is given; never raises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from typing_extensions import override

from codemode.sdkgen.documents import (
    IN_LIST,
    IN_MAP,
    IN_SCHEMA,
    TYPE_ALIASES,
    TYPES,
    child,
    list_of,
    reference_fault,
    resolve,
)

#: Most schema nodes that may apply to one and the same value.
MAX_IN_PLACE: Final = 4_000
#: Longest chain of references in one place.
MAX_CHAIN: Final = 100
#: Most values of one enum.
MAX_ENUM: Final = 10_000

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_KNOWN_DRAFTS: Final = ("2020-12", "2019-09", "draft-07", "draft-06", "draft-04")
_IN_PLACE: Final = ("allOf", "anyOf", "oneOf")
_IN_PLACE_ONE: Final = ("not", "if", "then", "else")

Node = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault of a schema.

    Attributes:
        pointer: JSON Pointer of the node; "" is the root.
        reason: What is wrong.
        repair: What is done about it where the schema is used all the same.
    """

    pointer: str
    reason: str
    repair: str = "taken for any JSON"

    @override
    def __str__(self) -> str:
        return f"{self.pointer or '/'}: {self.reason}; {self.repair}"


def repair(schema: Node, is_valid_pattern: Callable[[str], bool]) -> tuple[Node, list[Fault]]:
    """Repair `schema` in place.

    Returns:
        The schema, and its faults in document order.
    """
    return _Repair(schema, is_valid_pattern).run()


class _Repair:
    def __init__(self, root: Node, is_valid_pattern: Callable[[str], bool]) -> None:
        self.root = root
        self.faults: list[Fault] = []
        self._is_valid_pattern = is_valid_pattern
        self._has_references = False
        dialect = root.get("$schema")
        self._has_old_items = isinstance(dialect, str) and any(
            draft in dialect for draft in _KNOWN_DRAFTS[1:]
        )
        #: Nodes that apply other nodes to the same value.
        self._places: list[tuple[Node, str]] = []
        self._costs: dict[int, int] = {}

    def run(self) -> tuple[Node, list[Fault]]:
        dialect = self.root.get("$schema")
        if dialect is not None and not (
            isinstance(dialect, str) and any(draft in dialect for draft in _KNOWN_DRAFTS)
        ):
            del self.root["$schema"]
            self._fault("", f"the dialect {str(dialect)[:80]!r} is unknown", "read as 2020-12")
        self._node(self.root, "")
        if self._has_references:
            self._bound()
        return self.root, self.faults

    def _bound(self) -> None:
        """Give up nodes, outermost first, until no value meets too many of them."""
        for node, pointer in self._places:
            if self._cost(node, set()) > MAX_IN_PLACE:
                node.clear()
                self._costs.clear()
                self._fault(pointer, "expands without bound in one place")

    def _node(self, node: Node, pointer: str) -> None:
        if isinstance(node.get("items"), list) and not self._has_old_items:
            self._fault(child(pointer, "items"), "a list of items", "read as prefixItems")
            node["prefixItems"] = node.pop("items")
            if "additionalItems" in node:
                node["items"] = node.pop("additionalItems")
        for word in tuple(node):
            value = node[word]
            if word == "type":
                self._type(node, value, pointer)
            elif word in IN_MAP:
                self._map(node, word, value, pointer)
            elif word in IN_LIST and isinstance(value, list):
                if word in _IN_PLACE:
                    self._places.append((node, pointer))
                for at, item in enumerate(cast("list[object]", value)):
                    if isinstance(item, dict):
                        self._node(cast("Node", item), f"{pointer}/{word}/{at}")
            elif word in IN_SCHEMA and isinstance(value, dict):
                self._node(cast("Node", value), f"{pointer}/{word}")
            elif word == "pattern":
                self._pattern(node, value, pointer)
            elif word == "enum":
                self._enum(node, value, pointer)
            elif word == "required":
                self._required(node, value, pointer)
            elif word in _REFERENCES:
                self._reference(node, word, value, pointer)
            elif word in ("$id", "id") and pointer and isinstance(value, str):
                # A nested identifier would rebase every reference below it.
                del node[word]

    def _map(self, node: Node, word: str, value: object, pointer: str) -> None:
        if not isinstance(value, dict):
            return
        members = cast("Node", value)
        if word == "patternProperties":
            for pattern in [name for name in members if not self._is_valid_pattern(name)]:
                del members[pattern]
                self._fault(
                    child(pointer, word, pattern),
                    "the pattern cannot be matched in linear time",
                    "ignored",
                )
            if not members:
                del node[word]
        for name, member in members.items():
            if isinstance(member, dict):
                self._node(cast("Node", member), child(pointer, word, name))

    def _type(self, node: Node, value: object, pointer: str) -> None:
        words = cast("list[object]", value) if isinstance(value, list) else [value]
        if all(isinstance(word, str) and word in TYPES for word in words) and words:
            return
        known: list[str] = []
        for word in words:
            name = word if isinstance(word, str) else ""
            name = name if name in TYPES else TYPE_ALIASES.get(name.lower(), name.lower())
            if name not in TYPES:
                del node["type"]
                self._fault(child(pointer, "type"), f"{str(word)[:40]!r} is not a type")
                return
            if name not in known:
                known.append(name)
            if name != word:
                self._fault(
                    child(pointer, "type"), f"{str(word)[:40]!r} is not a type", f"read as {name!r}"
                )
        if known:
            node["type"] = known[0] if len(known) == 1 else known
        else:
            del node["type"]
            self._fault(child(pointer, "type"), "no type is named")

    def _pattern(self, node: Node, value: object, pointer: str) -> None:
        if isinstance(value, str) and not self._is_valid_pattern(value):
            del node["pattern"]
            self._fault(
                child(pointer, "pattern"), "the pattern cannot be matched in linear time", "ignored"
            )

    def _enum(self, node: Node, value: object, pointer: str) -> None:
        if isinstance(value, list) and len(cast("list[object]", value)) > MAX_ENUM:
            del node["enum"]
            self._fault(child(pointer, "enum"), f"more than {MAX_ENUM} values")

    def _required(self, node: Node, value: object, pointer: str) -> None:
        names = list_of(value)
        unique = list(dict.fromkeys(name for name in names if isinstance(name, str)))
        if isinstance(value, list) and len(unique) < len(names):
            node["required"] = unique
            self._fault(child(pointer, "required"), "repeats names or has other values", "cleaned")

    def _reference(self, node: Node, word: str, value: object, pointer: str) -> None:
        self._has_references = True
        self._places.append((node, pointer))
        fault = reference_fault(self.root, value)
        if fault:
            del node[word]
            self._fault(child(pointer, word), f"{fault}")

    def _cost(self, node: object, open_nodes: set[int]) -> int:
        """How many nodes apply to one value here, references followed; a cycle is too many."""
        if not isinstance(node, dict):
            return 1
        schema = cast("Node", node)
        identity = id(schema)
        if identity in self._costs:
            return self._costs[identity]
        if identity in open_nodes or len(open_nodes) > MAX_CHAIN:
            return MAX_IN_PLACE + 1
        open_nodes.add(identity)
        total = 1
        for word in _IN_PLACE:
            branches = schema.get(word)
            if isinstance(branches, list):
                total += sum(
                    self._cost(part, open_nodes) for part in cast("list[object]", branches)
                )
        total += sum(
            self._cost(schema[word], open_nodes) for word in _IN_PLACE_ONE if word in schema
        )
        if "$ref" in schema:
            total += self._cost(resolve(self.root, schema["$ref"]), open_nodes)
        open_nodes.discard(identity)
        self._costs[identity] = total
        return total

    def _fault(self, pointer: str, reason: str, repair: str = "taken for any JSON") -> None:
        self.faults.append(Fault(pointer=pointer, reason=reason, repair=repair))
