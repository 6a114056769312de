"""Find the faulty nodes of a schema, and replace each by what still can be checked.

Known misnomers of types are read as what they mean. References that leave the document, dangling
ones, patterns that need backtracking, and places that expand without bound become 'any JSON' by
themselves. Changes the copy that it is given; never raises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import unquote

from typing_extensions import override

from codemode.sdkgen.documents import (
    IN_LIST,
    IN_MAP,
    IN_SCHEMA,
    TYPE_ALIASES,
    TYPES,
    child,
    is_nullable,
    list_of,
    reference_fault,
    resolve,
)
from codemode.sdkgen.identifiers import escaped

#: Most schema nodes that may apply to one and the same value.
MAX_IN_PLACE: Final = 4_000
#: Longest chain of references in one place.
MAX_CHAIN: Final = 100
#: Most values of one enum.
MAX_ENUM: Final = 10_000

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
#: The dialects that are known, newest first.
DIALECTS: Final = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
)
_BY_NAME: Final = {uri.partition("://")[2].rstrip("#"): uri for uri in DIALECTS}
_DRAFT_4: Final = DIALECTS[-1]
_EXCLUSIVE: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
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
        self._visited: set[int] = set()
        self._reached: list[tuple[Node, str]] = []
        self._dialect = DIALECTS[0]
        #: Nodes that apply other nodes to the same value.
        self._places: list[tuple[Node, str]] = []
        self._costs: dict[int, int] = {}

    def run(self) -> tuple[Node, list[Fault]]:
        self._read_dialect()
        self._node(self.root, "")
        while self._reached:
            self._node(*self._reached.pop())
        if self._has_references:
            self._bound()
        return self.root, self.faults

    def _read_dialect(self) -> None:
        said = self.root.pop("$schema", None)
        if said is None:
            return
        name = said.partition("://")[2].rstrip("#/") if isinstance(said, str) else ""
        known = _BY_NAME.get(name)
        if known is not None:
            self._dialect = self.root["$schema"] = known
        elif name != "json-schema.org/schema":
            self._fault("", f"the dialect {str(said)[:80]!r} is unknown", "read as 2020-12")

    def _bound(self) -> None:
        """Give up nodes, outermost first, until no value meets too many of them."""
        for node, pointer in self._places:
            if self._cost(node, set()) > MAX_IN_PLACE:
                node.clear()
                self._costs.clear()
                self._fault(pointer, "expands without bound in one place")

    def _node(self, node: Node, pointer: str) -> None:
        if id(node) in self._visited:
            return
        self._visited.add(id(node))
        if isinstance(node.get("items"), list) and self._dialect == DIALECTS[0]:
            self._fault(child(pointer, "items"), "a list of items", "read as prefixItems")
            node["prefixItems"] = node.pop("items")
            if "additionalItems" in node:
                node["items"] = node.pop("additionalItems")
        if is_nullable(node):
            _admit_null(node)
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
            elif word in _EXCLUSIVE and isinstance(value, bool):
                self._exclusive(node, word, value, pointer)
            elif word in ("$id", "id") and isinstance(value, str):
                # It would rebase the references below it, which are all local by now.
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
        if isinstance(value, str) and value in TYPES:
            return
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

    def _exclusive(self, node: Node, word: str, value: bool, pointer: str) -> None:
        """Draft 4 marks a bound as exclusive; later drafts have the bound itself here."""
        if self._dialect == _DRAFT_4:
            return
        del node[word]
        bound = _EXCLUSIVE[word]
        if value and bound in node:
            node[word] = node.pop(bound)
        self._fault(child(pointer, word), "a boolean, as in draft 4", f"read with {bound!r}")

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
            return
        local = cast("str", value)
        if word == "$ref":
            node[word] = escaped(local)
        target = resolve(self.root, local)
        if isinstance(target, dict):
            # It may stand where no keyword leads to.
            self._reached.append((target, unquote(local[1:])))

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


def _admit_null(node: Node) -> None:
    """Say `nullable: true` in the words of JSON Schema; it is no fault."""
    declared = node["type"]
    words = cast("list[object]", declared) if isinstance(declared, list) else [declared]
    node["type"] = [*words, *([] if "null" in words else ["null"])]
    if "const" in node:
        node["enum"] = [node.pop("const")]
    values = node.get("enum")
    if isinstance(values, list) and None not in cast("list[object]", values):
        node["enum"] = [*cast("list[object]", values), None]
