"""Whether a replay came to the same: what differs first, and what could be the cause. Pure.

Addresses in the representations of objects are masked: no record can fix them. Where a run was
ended from outside, by a limit or a caller, both sides are compared as far as both came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from codemode.runtime.log.canonical import encode
from codemode.sandbox.values import Json

#: Ends that the machine or the caller decides, so that they come at another moment each time.
FROM_OUTSIDE: Final = frozenset(
    {"timeout", "cpu_limit", "memory_limit", "abort", "stopped", "crash", "violation"}
)
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_IDENTITY: Final = re.compile(r"\b(id|hash|repr|object)\s*\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first thing that is not the same.

    Attributes:
        what: Such as `call 3`, `output, line 2`, `the result`.
        recorded: As the record has it; None when it has nothing there.
        replayed: As it came now; None when nothing did.
    """

    what: str
    recorded: Json
    replayed: Json


def masked(value: Json) -> str:
    """The canonical text of a value with every address masked."""
    return _ADDRESS.sub("0x...", encode(value).decode())


def is_same(recorded: Json, replayed: Json) -> bool:
    """Whether two values are equal but for addresses."""
    return recorded == replayed or masked(recorded) == masked(replayed)


def first_difference(recorded: Mapping[str, Any], replayed: Mapping[str, Any]) -> Difference | None:
    """What differs first in two outcomes, as `code_mode.outcomes.as_json` makes them."""
    failure = recorded["failure"]
    is_cut = failure is not None and failure["kind"] in FROM_OUTSIDE
    difference = _output_difference(recorded["logs"], replayed["logs"], is_cut=is_cut)
    if difference is not None or is_cut:
        return difference
    for key, what in (
        ("failure", "the failure"),
        ("has_result", "whether there is a result"),
        ("result", "the result"),
        ("notices", "the refused calls"),
        ("artifacts", "the files"),
    ):
        if not is_same(recorded[key], replayed[key]):
            return Difference(what=what, recorded=recorded[key], replayed=replayed[key])
    return None


def _output_difference(
    recorded: list[Any], replayed: list[Any], *, is_cut: bool
) -> Difference | None:
    if not is_cut and is_same(recorded, replayed):
        return None
    ours, theirs = _lines(recorded), _lines(replayed)
    common = min(len(ours), len(theirs))
    for number, (old, new) in enumerate(zip_longest(ours, theirs), start=1):
        if is_cut and number >= common:
            # The last common line may have been cut anywhere.
            shorter, longer = sorted((old or "", new or ""), key=len)
            if longer.startswith(shorter) or masked(longer).startswith(masked(shorter)[:-1]):
                return None
        if not is_same(old, new):
            return Difference(what=f"output, line {number}", recorded=old, replayed=new)
    if is_cut or [e["stream"] for e in recorded] == [e["stream"] for e in replayed]:
        return None
    return Difference(what="the output's streams", recorded=recorded, replayed=replayed)


def _lines(logs: list[Any]) -> list[str]:
    text = "".join(str(entry["text"]) for entry in logs)
    return text.splitlines(keepends=True)


def causes(
    difference: Difference, source: str, *, recorded_by: str, replayed_by: str
) -> tuple[str, ...]:
    """What may explain a difference, most telling first."""
    found: list[str] = []
    if recorded_by != replayed_by:
        found.append(f"recorded by {recorded_by}, replayed by {replayed_by}")
    old, new = masked(difference.recorded), masked(difference.replayed)
    if old != new and sorted(old) == sorted(new):
        found.append("the same in another order: a set of objects is ordered by their addresses")
    match = _IDENTITY.search(source)
    if match is not None:
        found.append(
            f"the program uses {match[1]}(): addresses and hashes of them differ between runs"
        )
    return tuple(found)
