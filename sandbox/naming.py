"""What bindings may be called, and how they are told to the guest."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.messages import WireBinding
from codemode.sandbox.program import Binding, Signature

#: Names that the guest itself gives to every program.
_RESERVED: Final = frozenset({"help", "input", "open", "print"}) | frozenset(vars(builtins))


def check(bindings: Mapping[str, Binding], error_name: str) -> dict[str, Binding]:
    """The run's grant table: every dotted path, and whose it is.

    Raises:
        ValueError: A name is no dotted identifier, is taken twice, is both a function and a
            namespace, or hides a name that programs need.
    """
    if not error_name.isidentifier() or keyword.iskeyword(error_name):
        raise ValueError(f"error_name {error_name!r} is not an identifier")
    granted: dict[str, Binding] = {}
    for path, binding in bindings.items():
        for dotted in (path, *binding.aliases):
            _check_name(dotted, error_name)
            if granted.setdefault(dotted, binding) is not binding:
                raise ValueError(f"binding {dotted!r} is given twice")
    for space in {dotted.rpartition(".")[0] for dotted in granted}:
        while space:
            if space in granted:
                raise ValueError(f"binding {space!r} is both a function and a namespace")
            space = space.rpartition(".")[0]  # up to its root
    return granted


@lru_cache(maxsize=1 << 15)
def _check_name(dotted: str, error_name: str) -> None:
    parts = dotted.split(".")
    if not all(part.isidentifier() for part in parts):
        raise ValueError(f"binding {dotted!r} is not a dotted identifier")
    first = parts[0]
    if keyword.iskeyword(first) or first in _RESERVED or first == error_name:
        raise ValueError(f"binding {dotted!r}: {first!r} is a name that programs need")
    if any(part.startswith("__") for part in parts):
        raise ValueError(f"binding {dotted!r}: names with two leading underscores are Python's own")


def rows(bindings: Mapping[str, Binding]) -> list[WireBinding]:
    """The bindings as the message `Run` lists them."""
    return [
        [
            path,
            one.label,
            one.aliases,
            one.is_hidden,
            one.signature and pack_signature(one.signature),
        ]
        for path, one in bindings.items()
    ]


#: A host has the same tools in run after run: their signatures are encoded once. Keyed by identity,
#: because hashing one costs as much as encoding it; the value keeps it alive.
_PACKED: Final[dict[int, tuple[Signature, bytes]]] = {}
_MOST_PACKED: Final = 1 << 14


def pack_signature(signature: Signature) -> bytes:
    """A signature as a row of `Run.bindings` holds it: the guest reads only those that it needs."""
    held = _PACKED.get(id(signature))
    if held is None:
        parameters = [
            [one.key, one.name, one.required, one.is_object] for one in signature.parameters
        ]
        packed = wire.pack([parameters, signature.is_closed, signature.doc])
        if len(_PACKED) >= _MOST_PACKED:
            _PACKED.clear()
        held = _PACKED[id(signature)] = (signature, packed)
    return held[1]
