"""Asking a person: the request, the answer, and the channel between them.

It fails closed: no channel, a channel that throws, or an answer outside the vocabulary is a denial.
The pipeline redacts the arguments before they get here; a channel never sees the token.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from codemode.sandbox.values import Json, thaw

#: `allowed` is for this one call; a channel that remembers answers each later ask itself.
Answer = Literal["allowed", "rejected", "cancelled", "unavailable"]
ANSWERS: Final[frozenset[str]] = frozenset({"allowed", "rejected", "cancelled", "unavailable"})


#: Characters of arguments that a person is shown.
_SHOWN: Final = 2_000
#: Runs whose grants are remembered: of an older one that still goes on, the person is asked again.
_MOST_RUNS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """What the person is shown.

    Attributes:
        arguments: Redacted.
        line: The line of the program that made the call, for a nested one.
        run_id: The key under which an answer may be remembered; "" means that none may.
        effects: The tool's declared capability classes.
    """

    call_id: str
    root_call_id: str
    tool_name: str
    reason: str
    arguments: Mapping[str, Json]
    effects: frozenset[str] = frozenset()
    is_nested: bool = False
    line: int | None = None
    run_id: str = ""

    def arguments_text(self) -> str:
        """The arguments for a person to read: bounded, without anything that a terminal obeys."""
        text = json.dumps(thaw(dict(self.arguments)), ensure_ascii=True, indent=2)
        if len(text) > _SHOWN:
            return f"{text[:_SHOWN]}\n... {len(text) - _SHOWN} characters more"
        return text

    def line_of(self, program: str) -> str | None:
        """The line of the program that made the call; None if it has no such line."""
        lines = program.splitlines()
        if self.line is None or not 0 < self.line <= len(lines):
            return None
        return lines[self.line - 1].strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalOutcome:
    """What the person said.

    Attributes:
        by: The channel and, where known, the person, such as `terminal:ada`.
        remembered: An earlier answer of the same run was applied by the channel.
        for_run: The person wants the answer to hold for the rest of the run.
        reason: Told to the model when the answer is a no.
    """

    answer: Answer
    by: str
    remembered: bool = False
    for_run: bool = False
    reason: str = ""


class ApprovalChannel(Protocol):
    """Asks. It may be cancelled while it waits."""

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """Return the person's answer."""
        ...


class MemoryApprovalChannel:
    """The in-memory twin: answers by a function, and keeps what it was asked.

    Args:
        by: Who is said to have answered.
        remember: Answer for the rest of the run.
    """

    def __init__(
        self,
        answer: Callable[[ApprovalRequest], Answer],
        *,
        by: str = "memory",
        remember: bool = False,
    ) -> None:
        self.asked: list[ApprovalRequest] = []
        self._answer = answer
        self._by = by
        self._remember = remember

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """Answer at once."""
        self.asked.append(request)
        return ApprovalOutcome(answer=self._answer(request), by=self._by, for_run=self._remember)


class RememberingChannel:
    """Remembers a yes for one run and one pattern, in front of a channel that asks.

    Each later call is still asked and decided in the log, as allowed with `remembered`.

    Args:
        pattern: What an answer holds for, besides its run; the tool's name by default.
    """

    def __init__(
        self,
        inner: ApprovalChannel,
        *,
        pattern: Callable[[ApprovalRequest], Hashable] = lambda request: request.tool_name,
    ) -> None:
        self._inner = inner
        self._pattern = pattern
        self._grants: dict[str, dict[Hashable, str]] = {}

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        """The remembered answer, or the inner channel's."""
        pattern = self._pattern(request)
        by = self._grants.get(request.run_id, {}).get(pattern)
        if by is not None:
            return ApprovalOutcome(answer="allowed", by=by, remembered=True)
        outcome = await self._inner.ask(request)
        if outcome.answer == "allowed" and outcome.for_run and request.run_id:
            self._grants.setdefault(request.run_id, {})[pattern] = outcome.by
            if len(self._grants) > _MOST_RUNS:
                del self._grants[next(iter(self._grants))]
        return outcome

    def forget(self, run_id: str) -> None:
        """The run has ended, and its grants with it."""
        self._grants.pop(run_id, None)
