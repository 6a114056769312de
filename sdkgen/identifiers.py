"""References by identifier -> local pointers, for documents that carry their parts' own `$id`s.

A bundled document names its parts by absolute or relative identifiers. Where the named part stands
in the same document, the reference is rewritten to the pointer of that part, relative to the root;
every other one stays as it is, and is refused later. Nothing is fetched. Pure but for the copy that
it is given; never raises.

Source: JSON Schema 2020-12, 8.2 "Base URI, anchors and dereferencing" and 9.3 "Compound documents";
draft-07, 8.2 ("$id": "#name" is an anchor).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast
from urllib.parse import quote, unquote, urljoin

from codemode.sdkgen.documents import IN_LIST, IN_MAP, IN_SCHEMA, child, resolve

Node = dict[str, object]

# What a fragment may hold as it stands (RFC 3986, 3.5).
_IN_FRAGMENT: Final = "/?:@!$&'()*+,;=-._~"


def escaped(reference: str) -> str:
    """A local reference as a URI: names such as `#/$defs/Page[Item]` need escapes."""
    return "#" + quote(unquote(reference[1:]), safe=_IN_FRAGMENT)


def localize(root: Node) -> None:
    """Rewrite, in place, every reference to an identified part of the document.

    The identifiers themselves go: they would rebase the rewritten references.
    """
    if not _has_identifiers(root):
        return
    parts = [(node, pointer, _base(node, base)) for node, pointer, base in _schemas(root)]
    places: dict[str, str] = {}
    for node, pointer, base in parts:
        identifier = node.get("$id")
        if isinstance(identifier, str):
            anchored = identifier.startswith("#") and len(identifier) > 1
            places.setdefault(base + identifier if anchored else base, pointer)
        for word in ("$anchor", "$dynamicAnchor"):
            if isinstance(node.get(word), str):
                places.setdefault(f"{base}#{node[word]}", pointer)
    for node, _, base in parts:
        reference = node.get("$ref")
        if isinstance(reference, str):
            found = _localized(reference, base, places)
            if found is not None and resolve(root, found) is not None:
                node["$ref"] = found
    for node, _, _ in parts:
        node.pop("$id", None)


def schemas_of(root: Node) -> Iterator[Node]:
    """Every schema of the document, the root first."""
    return (node for node, _, _ in _schemas(root))


def _has_identifiers(root: object) -> bool:
    """Whether a `$id` stands anywhere, as data too: few documents have one at all."""
    pending: list[object] = [root]
    while pending:
        value = pending.pop()
        if type(value) is dict:
            node = cast("Node", value)
            if "$id" in node:
                return True
            pending.extend(node.values())
        elif type(value) is list:
            pending.extend(cast("list[object]", value))
    return False


def _schemas(root: Node) -> Iterator[tuple[Node, str, str]]:
    """Every schema of the document with its pointer and the base that it stands in."""
    pending: list[tuple[Node, str, str]] = [(root, "", "")]
    while pending:
        node, pointer, outer = pending.pop()
        yield node, pointer, outer
        base = _base(node, outer)
        for word, value in node.items():
            if word in IN_LIST and isinstance(value, list):
                members = [
                    (item, child(pointer, word, at))
                    for at, item in enumerate(cast("list[object]", value))
                ]
            elif word in IN_MAP and isinstance(value, dict):
                members = [
                    (item, child(pointer, word, name)) for name, item in cast("Node", value).items()
                ]
            elif word in IN_SCHEMA:
                members = [(value, child(pointer, word))]
            else:
                continue
            pending.extend(
                (cast("Node", item), place, base) for item, place in members if type(item) is dict
            )


def _base(node: Node, outer: str) -> str:
    identifier = node.get("$id")
    if not isinstance(identifier, str) or identifier.startswith("#"):
        return outer
    return _joined(outer, identifier).removesuffix("#")


def _joined(base: str, reference: str) -> str:
    if reference.startswith("#"):
        return base + reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _localized(reference: str, base: str, places: dict[str, str]) -> str | None:
    whole = _joined(base, reference)
    if whole in places:
        return escaped("#" + places[whole])
    document, _, fragment = whole.partition("#")
    if document not in places and document:
        return None
    if fragment and not fragment.startswith("/"):
        return None
    return escaped("#" + places.get(document, "") + unquote(fragment))
