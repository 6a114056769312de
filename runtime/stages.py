"""The stages of one call and every legal move between them, as data.

`EARLY_ENDS` is the one table of what still runs after each early end; the graph of
docs/pipeline.md and the pipeline's own steps come from it. A move that is not in `EDGES` is a bug
of ours and raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from itertools import pairwise
from typing import Final

from codemode.runtime.result import Layer


class Stage(IntEnum):
    """The stages, in order; integers, because every call looks its moves up."""

    READ = 0
    COLLAPSE = 1
    VALIDATE = 2
    CANCEL_CHECK = 3
    PRE = 4
    APPROVAL = 5
    GUARD = 6
    AROUND = 7
    NORMALISE = 8
    POST = 9
    MATERIALISE = 10
    FINALISE = 11
    FREEZE = 12
    PUBLISH = 13


TITLES: Final[Mapping[Stage, str]] = {
    Stage.READ: "parse and snapshot",
    Stage.COLLAPSE: "mode collapse",
    Stage.VALIDATE: "normalise and validate",
    Stage.CANCEL_CHECK: "already cancelled?",
    Stage.PRE: "tools/pre-execute",
    Stage.APPROVAL: "approval",
    Stage.GUARD: "guards",
    Stage.AROUND: "tools/execute around the body",
    Stage.NORMALISE: "normalise",
    Stage.POST: "tools/post-execute",
    Stage.MATERIALISE: "materialise",
    Stage.FINALISE: "finalizer",
    Stage.FREEZE: "freeze",
    Stage.PUBLISH: "tools/result",
}


class End(Enum):
    """The early ends."""

    INVALID_ARGUMENTS = "invalid arguments"
    COLLAPSED = "mode collapse"
    CANCELLED = "cancelled before the body"
    PRE_FAILED = "a pre-execute policy threw"
    DENIED = "denied"
    STOPPED = "stopped"
    DEFERRED = "deferred"
    APPROVAL_FAILED = "the approval threw"
    REFUSED = "approval refused"
    GUARD_FAILED = "a guard threw"
    GUARDED = "denied by a guard"
    UNKNOWN_TOOL = "unknown tool"
    AROUND_FAILED = "a wrapper threw"
    POST_FAILED = "a post-execute policy threw"


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyEnd:
    """One row: where a call may end early, and where it goes on.

    Attributes:
        at: The stages in which it can happen.
        then: The next stage; POST for what policies may still answer, MATERIALISE for the rest.
        layer: Which layer is named in the error info.
    """

    at: tuple[Stage, ...]
    then: Stage
    layer: Layer


_CHECKED: Final = (Stage.CANCEL_CHECK, Stage.PRE, Stage.APPROVAL, Stage.GUARD)

EARLY_ENDS: Final[Mapping[End, EarlyEnd]] = {
    End.INVALID_ARGUMENTS: EarlyEnd(
        at=(Stage.READ, Stage.VALIDATE), then=Stage.MATERIALISE, layer="arguments"
    ),
    End.COLLAPSED: EarlyEnd(at=(Stage.COLLAPSE,), then=Stage.MATERIALISE, layer="mode"),
    End.CANCELLED: EarlyEnd(at=_CHECKED, then=Stage.MATERIALISE, layer="signal"),
    End.PRE_FAILED: EarlyEnd(at=(Stage.PRE,), then=Stage.MATERIALISE, layer="pre"),
    End.DENIED: EarlyEnd(at=(Stage.PRE,), then=Stage.POST, layer="pre"),
    End.STOPPED: EarlyEnd(at=(Stage.PRE,), then=Stage.POST, layer="pre"),
    End.DEFERRED: EarlyEnd(at=(Stage.PRE,), then=Stage.POST, layer="pre"),
    End.APPROVAL_FAILED: EarlyEnd(at=(Stage.APPROVAL,), then=Stage.MATERIALISE, layer="approval"),
    End.REFUSED: EarlyEnd(at=(Stage.APPROVAL,), then=Stage.POST, layer="approval"),
    End.GUARD_FAILED: EarlyEnd(at=(Stage.GUARD,), then=Stage.MATERIALISE, layer="guard"),
    End.GUARDED: EarlyEnd(at=(Stage.GUARD,), then=Stage.POST, layer="guard"),
    End.UNKNOWN_TOOL: EarlyEnd(at=(Stage.GUARD,), then=Stage.POST, layer="lookup"),
    End.AROUND_FAILED: EarlyEnd(at=(Stage.AROUND,), then=Stage.MATERIALISE, layer="around"),
    End.POST_FAILED: EarlyEnd(at=(Stage.POST,), then=Stage.MATERIALISE, layer="post"),
}

#: The way of a call that nothing ends early. APPROVAL is entered only when a policy asks.
_MAIN: Final = tuple(Stage)
_SKIPS: Final = ((Stage.PRE, Stage.GUARD),)

EDGES: Final[frozenset[tuple[Stage, Stage]]] = frozenset(
    {
        *pairwise(_MAIN),
        *_SKIPS,
        *((stage, end.then) for end in EARLY_ENDS.values() for stage in end.at),
    }
)


def reaches_post(end: End) -> bool:
    """Whether post-execute policies still run after `end`."""
    return EARLY_ENDS[end].then is Stage.POST


def mermaid() -> str:
    """The graph as Mermaid text, for docs/pipeline.md."""
    lines = ["flowchart TD"]
    lines.extend(f"    {stage.name}[{TITLES[stage]}]" for stage in _MAIN)
    lines.extend(f"    {here.name} --> {there.name}" for here, there in pairwise(_MAIN))
    lines.extend(f"    {here.name} --> {there.name}" for here, there in _SKIPS)
    for end, row in EARLY_ENDS.items():
        lines.extend(f"    {stage.name} -. {end.value} .-> {row.then.name}" for stage in row.at)
    return "\n".join(lines) + "\n"
