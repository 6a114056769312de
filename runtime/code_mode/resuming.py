"""A run that goes on where an earlier one stopped: fed from its record first, then live.

The program must do again what the record has; the first difference ends the run, before anything
of it was live. Answers that the host has found out stand for calls of which the record knows
nothing. Source: spec AUDIT 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast

from codemode.runtime.audit.comparison import is_same
from codemode.runtime.audit.interruption import BegunCall, Interruption
from codemode.runtime.code_mode.journaling import grants_as_json
from codemode.runtime.code_mode.ledger import DispatchOutcome, Ledger
from codemode.runtime.errors import ToolError
from codemode.runtime.log.canonical import sha256_of
from codemode.sandbox.answer import Answer
from codemode.sandbox.control import RunControl
from codemode.sandbox.program import Binding, Call
from codemode.sandbox.timeline import Recording, Resumption
from codemode.sandbox.values import Json, thaw

Submit = Callable[[str, Call], Answer]

_MOST_NAMED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePlan:
    """What a run is resumed from.

    Attributes:
        answers: What the host says that unanswered calls came to, by number.
        repeated: Numbers of unanswered calls that are made again although they may have happened.
        read_only: Wire names of the tools that change nothing.
    """

    record: Interruption
    answers: Mapping[int, Json]
    repeated: tuple[int, ...] = ()
    read_only: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, Json]:
        """`resumed_from` of `tool/code-run-start`."""
        run = self.record.run
        return {
            "session": run.session,
            "call_id": run.call_id,
            "journal_sha256": self.record.head,
            "restored": len(self.record.answered),
            "answered": list[Json](sorted(self.answers)),
            "repeated": list[Json](sorted(self.repeated)),
        }


class ResumedRun:
    """One run of a plan.

    Args:
        ledger: Takes in what the earlier run had done.
    """

    def __init__(self, plan: ResumePlan, ledger: Ledger, control: RunControl) -> None:
        self._plan = plan
        self._ledger = ledger
        self._control = control
        self._unanswered: Final = {one.number: one for one in plan.record.unanswered}
        for one in plan.record.answered:
            self._note(one.number, one.name, one.outcome, has_begun=one.may_have_happened)

    @property
    def seed(self) -> int:
        """As the earlier run had it."""
        return self._plan.record.run.seed

    @property
    def clock(self) -> float:
        """As the earlier run had it."""
        return self._plan.record.run.clock

    def check(self, source: str, granted: Mapping[str, Binding]) -> None:
        """Refuse what cannot come to the same.

        Raises:
            ToolError: The program, or what it may call, is another. Nothing has run.
        """
        if source != self._plan.record.source:
            raise _refused("a policy changed the program")
        if sha256_of(grants_as_json(granted)) != self._plan.record.run.grants_sha256:
            raise _refused(
                "what the program may call has changed since it was interrupted:"
                f" {_changes(self._plan.record.grants, grants_as_json(granted))}"
            )

    def over(self, submit: Submit) -> Submit:
        """`submit`, but for calls whose answers the host has found out."""

        def submit_or_answer(name: str, call: Call) -> Answer:
            if call.number not in self._plan.answers:
                return submit(name, call)
            begun = self._unanswered[call.number]
            if not _is_that(begun, name, call):
                self._diverge(call.number)
            self._note(call.number, name, "ok", has_begun=True)
            answer = Answer()
            answer.give(self._plan.answers[call.number])
            return answer

        return submit_or_answer

    def timeline(self, recording: Recording) -> Resumption:
        """What feeds the run, and tells `recording` of all of it."""

        def called(number: int, call: Call) -> None:
            recorded = self._plan.record.submissions.get(number)
            made: Json = {
                "name": call.name,
                "line": call.line,
                "arguments": cast("Json", thaw(cast("Json", call.arguments))),
            }
            if recorded is not None and not is_same(recorded, made):
                self._diverge(call.number)
            else:
                recording.on_call(number, call)

        checked = Recording(on_call=called, on_delivery=recording.on_delivery)
        return Resumption(self._plan.record.deliveries, checked)

    def _note(self, number: int, name: str, outcome: DispatchOutcome, *, has_begun: bool) -> None:
        entry = self._ledger.restore(number, name)
        entry.outcome, entry.body_started = outcome, has_begun
        entry.is_mutating = name not in self._plan.read_only

    def _diverge(self, number: int) -> None:
        self._control.abort(
            f"the resumed program does not do what its record has: call {number} differs"
        )


def _is_that(begun: BegunCall, name: str, call: Call) -> bool:
    """Whether the program makes the call that the host has found an answer to."""
    return begun.name == name and is_same(begun.arguments, cast("Json", thaw(call.arguments)))


def _changes(before: Mapping[str, Json], now: Mapping[str, Json]) -> str:
    """What is gone, new, or declared otherwise."""
    said = {
        "gone": sorted(before.keys() - now.keys()),
        "new": sorted(now.keys() - before.keys()),
        "declared otherwise": sorted(
            path
            for path in before.keys() & now.keys()
            if sha256_of(before[path]) != sha256_of(now[path])
        ),
    }
    return "; ".join(
        f"{how}: {', '.join(paths[:_MOST_NAMED])}{', ...' if len(paths) > _MOST_NAMED else ''}"
        for how, paths in said.items()
        if paths
    )


def _refused(why: str) -> ToolError:
    return ToolError(f"the run cannot be resumed: {why}", "CODE_RUN_FAILED", kind="abort")
