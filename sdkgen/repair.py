"""Find the faulty nodes of a schema, and replace each by what still can be checked.

Known misnomers of types are read as what they mean. References that leave the document, dangling
ones, patterns that need backtracking, and places that expand without bound become 'any JSON' by
themselves. Changes the copy that it is given; never raises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, cast
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
from codemode.sdkgen.expansion import IN_PLACE, Expansion
from codemode.sdkgen.identifiers import escaped

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


def read_type(said: object, pointer: str) -> tuple[object, list[Fault]]:
    """What the value of a `type` means, and its faults; None where it names no known type."""
    words = list_of(said) or [said]
    known: dict[str, None] = {}
    faults: list[Fault] = []
    for word in words:
        name = word if isinstance(word, str) else ""
        name = name if name in TYPES else TYPE_ALIASES.get(name.lower(), name.lower())
        reason = f"{str(word)[:40]!r} is not a type"
        if name not in TYPES:
            return None, [*faults, Fault(pointer=pointer, reason=reason)]
        if name != word:
            faults.append(Fault(pointer=pointer, reason=reason, repair=f"read as {name!r}"))
        known[name] = None
    if not faults:
        return (words if len(words) > 1 else words[0]), faults
    return (list(known) if len(known) > 1 else next(iter(known))), faults


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
        expansion = Expansion(self.root)
        for node, pointer in self._places:
            if expansion.exceeds(node):
                node.clear()
                expansion = Expansion(self.root)
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
        if "nullable" in node and is_nullable(node):
            _admit_null(node)
        for word in tuple(node):
            look_into = self._keywords.get(word)
            if look_into is not None and word in node:
                look_into(self, node, word, node[word], pointer)

    def _schema(self, node: Node, word: str, value: object, pointer: str) -> None:
        if isinstance(value, dict):
            self._node(cast("Node", value), f"{pointer}/{word}")

    def _list(self, node: Node, word: str, value: object, pointer: str) -> None:
        if not isinstance(value, list):
            return
        if word in IN_PLACE:
            self._places.append((node, pointer))
        for at, item in enumerate(cast("list[object]", value)):
            if isinstance(item, dict):
                self._node(cast("Node", item), f"{pointer}/{word}/{at}")

    def _items(self, node: Node, word: str, value: object, pointer: str) -> None:
        self._list(node, word, value, pointer)
        self._schema(node, word, value, pointer)

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

    def _type(self, node: Node, word: str, value: object, pointer: str) -> None:
        if isinstance(value, str) and value in TYPES:
            return
        meant, faults = read_type(value, child(pointer, word))
        self.faults.extend(faults)
        if meant is None:
            del node[word]
        else:
            node[word] = meant

    def _pattern(self, node: Node, word: str, value: object, pointer: str) -> None:
        if isinstance(value, str) and not self._is_valid_pattern(value):
            del node[word]
            self._fault(
                child(pointer, word), "the pattern cannot be matched in linear time", "ignored"
            )

    def _enum(self, node: Node, word: str, value: object, pointer: str) -> None:
        if isinstance(value, list) and len(cast("list[object]", value)) > MAX_ENUM:
            del node[word]
            self._fault(child(pointer, word), f"more than {MAX_ENUM} values")

    def _exclusive(self, node: Node, word: str, value: object, pointer: str) -> None:
        """Draft 4 marks a bound as exclusive; later drafts have the bound itself here."""
        if self._dialect == _DRAFT_4 or not isinstance(value, bool):
            return
        del node[word]
        bound = _EXCLUSIVE[word]
        if value and bound in node:
            node[word] = node.pop(bound)
        self._fault(child(pointer, word), "a boolean, as in draft 4", f"read with {bound!r}")

    def _required(self, node: Node, word: str, value: object, pointer: str) -> None:
        names = list_of(value)
        unique = list(dict.fromkeys(name for name in names if isinstance(name, str)))
        if isinstance(value, list) and len(unique) < len(names):
            node[word] = unique
            self._fault(child(pointer, word), "repeats names or has other values", "cleaned")

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

    def _identifier(self, node: Node, word: str, value: object, pointer: str) -> None:
        if isinstance(value, str):
            # It would rebase the references below it, which are all local by now.
            del node[word]

    def _fault(self, pointer: str, reason: str, repair: str = "taken for any JSON") -> None:
        self.faults.append(Fault(pointer=pointer, reason=reason, repair=repair))

    #: What is done about each keyword that may hold a fault, or schemas.
    _keywords: ClassVar[dict[str, Callable[[_Repair, Node, str, object, str], None]]] = {
        **dict.fromkeys(IN_SCHEMA, _schema),
        **dict.fromkeys(IN_LIST, _list),
        **dict.fromkeys(IN_MAP, _map),
        **dict.fromkeys(_REFERENCES, _reference),
        **dict.fromkeys(_EXCLUSIVE, _exclusive),
        **dict.fromkeys(("$id", "id"), _identifier),
        "items": _items,
        "type": _type,
        "pattern": _pattern,
        "enum": _enum,
        "required": _required,
    }


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
