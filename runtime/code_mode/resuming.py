"""A run that goes on where an earlier one stopped: fed from its record first, then live.

The program must do again what the record has; the first difference ends the run, before anything
of it was live. Answers that the host has found out stand for calls of which the record knows
nothing. Source: spec AUDIT 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

from codemode.runtime.audit.comparison import is_same
from codemode.runtime.audit.interruption import INTERRUPTED, Interruption
from codemode.runtime.audit.run_calls import BegunCall
from codemode.runtime.code_mode.journaling import grants_as_json
from codemode.runtime.code_mode.ledger import DispatchOutcome, Ledger
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.log.canonical import sha256_of
from codemode.sandbox.answer import Answer
from codemode.sandbox.control import RunControl
from codemode.sandbox.program import Binding, Call, Failure, Outcome
from codemode.sandbox.timeline import Recording, Resumption
from codemode.sandbox.values import Json, thaw

Submit = Callable[[str, Call], Answer]

_MOST_NAMED: Final = 10
_DIFFERS: Final = "the resumed program does not do what its record has"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePlan:
    """What a run is resumed from.

    Attributes:
        answers: What the host says that unanswered calls came to, by number.
        digests: Of these answers; None for one that redaction changes.
        repeated: Numbers of unanswered calls that are made again although they may have happened.
    """

    record: Interruption
    answers: Mapping[int, Json]
    digests: Mapping[int, str | None] = field(default_factory=dict[int, str | None])
    repeated: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """`resumed_from` of `tool/code-run-start`."""
        run = self.record.run
        return {
            "session": run.session,
            "call_id": run.call_id,
            "journal_sha256": self.record.head,
            "restored": len(self.record.answered),
            "answered": list[Json](sorted(self.answers)),
            "answers_sha256": [self.digests.get(number) for number in sorted(self.answers)],
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
        self._keep: Callable[[], None] | None = None
        self._timeline: Resumption | None = None
        self._submitted = 0
        self._unanswered: Final = {one.number: one for one in plan.record.unanswered}
        for one in plan.record.answered:
            self._note(one, one.outcome, has_begun=one.may_have_happened)

    @property
    def origin(self) -> dict[str, Json]:
        """`resumed_from` of `tool/code-run-start`."""
        return self._plan.as_json()

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
        now = grants_as_json(granted)
        if sha256_of(now) != self._plan.record.run.grants_sha256:
            changed = _changes(self._plan.record.grants, now)
            raise _refused(f"what the program may call has changed since then: {changed}")

    def over(self, submit: Submit) -> Submit:
        """`submit`, but for calls whose answers the host has found out."""

        def submit_or_answer(name: str, call: Call) -> Answer:
            if self._keep is not None:
                # What an earlier run had must not be lost once this one has begun a call of its
                # own: from then on only this one can be resumed.
                self._keep()
                self._keep = None
            if call.number not in self._plan.answers:
                return submit(name, call)
            begun = self._unanswered[call.number]
            # Where the record has the submission, it has been compared already, and whole.
            if call.number not in self._plan.record.submitted and not _is_that(begun, name, call):
                self._diverge(call.number)
            self._note(begun, "ok", has_begun=True)
            answer = Answer()
            answer.give(self._plan.answers[call.number])
            return answer

        return submit_or_answer

    def timeline(self, recording: Recording, keep: Callable[[], None]) -> Resumption:
        """What feeds the run, and tells `recording` of all of it.

        Args:
            keep: Makes the recording durable.
        """

        def called(number: int, call: Call) -> None:
            self._submitted = number
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

        self._keep = keep
        checked = Recording(on_call=called, on_delivery=recording.on_delivery)
        self._timeline = Resumption(self._plan.record.deliveries, checked)
        return self._timeline

    def judged(self, outcome: Outcome) -> Outcome:
        """An outcome, but for that of a program which has not even done what its record has."""
        is_over = self._timeline is not None and self._timeline.is_over
        if is_over and self._submitted >= len(self._plan.record.submissions):
            return outcome
        if outcome.failure is not None and outcome.failure.kind in INTERRUPTED:
            return outcome
        how = "it ended" if outcome.failure is None else outcome.failure.message
        why = f"{_DIFFERS}: it stopped before the end of the record ({how})"
        return replace(outcome, failure=Failure(kind="abort", message=why))

    def forward(self, run: RunContext, *, has_succeeded: bool) -> None:
        """Hand on what the record's calls left for the outer call, as far as a log has it.

        Their messages are not in one: the model is told that there were some.
        """
        answered = self._plan.record.answered
        if has_succeeded and any(call.concludes_turn for call in answered):
            run.conclude_turn()
        messages = sum(call.messages for call in answered)
        if messages:
            run.defer_context(
                f"Calls that the program had made before it was interrupted left {messages}"
                f" {'message' if messages == 1 else 'messages'} for you, which cannot be shown"
                " again.",
                source="code_mode",
            )

    def _note(self, call: BegunCall, outcome: DispatchOutcome, *, has_begun: bool) -> None:
        entry = self._ledger.restore(call.number, call.name)
        entry.outcome, entry.body_started = outcome, has_begun
        entry.is_mutating = not call.is_read_only

    def _diverge(self, number: int) -> None:
        self._control.abort(f"{_DIFFERS}: call {number} differs")


def _is_that(begun: BegunCall, name: str, call: Call) -> bool:
    """Whether the program makes the call that the host has found an answer to."""
    return begun.name == name and is_same(begun.arguments, cast("Json", thaw(call.arguments)))


def _changes(then: Mapping[str, object], now: Mapping[str, object]) -> str:
    """Which names are gone, new, or not what they were."""
    kinds = {
        "gone": [path for path in then if path not in now],
        "new": [path for path in now if path not in then],
        "changed": [path for path in now if path in then and now[path] != then[path]],
    }
    return "; ".join(
        f"{what}: {', '.join(paths[:_MOST_NAMED])}{', ...' if len(paths) > _MOST_NAMED else ''}"
        for what, paths in kinds.items()
        if paths
    )


def _refused(why: str) -> ToolError:
    return ToolError(f"the run cannot be resumed: {why}", "CODE_RUN_FAILED", kind="abort")
