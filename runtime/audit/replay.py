"""Running a recorded program again: the same calls, output and result, or the first divergence.

The program runs in the sandbox as it did, with the record in place of the tools: no handler of the
host's is imported or called, no timer is waited for. It proves that program, calls and result
belong together; not that the tools told the truth.

Source: spec AUDIT 2.4, 3.2.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

import anyio

from codemode.runtime.audit.comparison import (
    FROM_OUTSIDE,
    Difference,
    causes,
    first_difference,
    is_same,
)
from codemode.runtime.audit.evidence import Evidence, gather
from codemode.runtime.audit.run_record import UnusableRecordError
from codemode.runtime.code_mode.journaling import engine
from codemode.runtime.code_mode.outcomes import as_json
from codemode.runtime.log.journal import Journal
from codemode.runtime.log.store import EventStore
from codemode.sandbox.backend import SandboxBackend
from codemode.sandbox.control import RunControl
from codemode.sandbox.isolation import Required
from codemode.sandbox.local import LocalSandbox
from codemode.sandbox.program import Binding, Call, LogEntry, Outcome, Parameter, Program, Signature
from codemode.sandbox.timeline import Playback
from codemode.sandbox.values import Json, thaw

Verdict = Literal["identical", "diverged", "tampered", "impossible"]

_EXIT: Final[Mapping[Verdict, int]] = {
    "identical": 0, "diverged": 1, "tampered": 1, "impossible": 2,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What came of a replay.

    Attributes:
        reason: In a sentence.
        calls: How many calls were the same, before anything differed.
        notes: What may be the cause of a difference, or what was compared only in part.
    """

    verdict: Verdict
    call_id: str
    reason: str
    session: str | None = None
    difference: Difference | None = None
    calls: int = 0
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """0 identical, 1 diverged or tampered, 2 cannot be replayed."""
        return _EXIT[self.verdict]

    def as_json(self) -> dict[str, Json]:
        """The verdict as plain JSON."""
        difference = self.difference
        return {
            "verdict": self.verdict,
            "session": self.session,
            "call_id": self.call_id,
            "reason": self.reason,
            "difference": None
            if difference is None
            else {
                "what": difference.what,
                "recorded": difference.recorded,
                "replayed": difference.replayed,
            },
            "calls": self.calls,
            "notes": list(self.notes),
        }


async def replay(
    store: EventStore,
    journal: Journal | None,
    call_id: str,
    *,
    session: str | None = None,
    isolation: Required = "B",
    sandbox: SandboxBackend | None = None,
) -> Replay:
    """Run a recorded program again and compare.

    Args:
        journal: None when there is none.
        call_id: Of the `run_code` call.
        session: Needed only where several sessions have a run of that id.
        isolation: The least confinement that is accepted.
        sandbox: Used instead of a local one, and closed by the caller.

    Raises:
        LogError: A file cannot be read.
        SandboxUnavailableError: No program can be run here.
    """
    try:
        evidence = gather(store, journal, call_id, session)
    except UnusableRecordError as refusal:
        return Replay(
            verdict=refusal.verdict, call_id=call_id, session=session, reason=str(refusal)
        )
    if sandbox is not None:
        return await _run(evidence, sandbox)
    local = LocalSandbox(isolation=isolation, ceilings=evidence.limits, spares=1)
    try:
        return await _run(evidence, local)
    finally:
        with anyio.CancelScope(shield=True):
            await local.aclose()


async def _run(evidence: Evidence, sandbox: SandboxBackend) -> Replay:
    await sandbox.start()
    witness = _Witness(evidence)
    outcome = await sandbox.run(
        Program(
            source=evidence.source,
            seed=evidence.run.seed,
            clock=evidence.run.clock,
            files=evidence.files,
            artifacts=tuple(evidence.run.artifacts),
        ),
        {path: _binding(grant) for path, grant in evidence.grants.items()},
        evidence.limits,
        witness.printed,
        witness.control,
    )
    return witness.judge(outcome)


class _Witness:
    """Compares a replay with its record while it runs, and ends it where they part."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._recorded = evidence.calls()
        self._next = next(self._recorded, None)
        self._playback = Playback(evidence.deliveries(), self.called)
        self._same_calls = 0
        self._difference: Difference | None = None
        failure = evidence.outcome["failure"]
        self._is_cut = failure is not None and failure["kind"] in FROM_OUTSIDE
        self._left_chars = sum(len(entry["text"]) for entry in evidence.outcome["logs"])
        self.control = RunControl()
        self.control.timeline = self._playback

    def called(self, number: int, call: Call) -> None:
        """Compare a submission with the recorded one."""
        made: Json = {
            "name": call.name,
            "line": call.line,
            "arguments": cast("Json", thaw(cast("Json", call.arguments))),
        }
        recorded = self._next
        if recorded is not None and is_same(recorded.value, made):
            self._same_calls += 1
            self._next = next(self._recorded, None)
            self._end_with_the_record()
        elif recorded is not None or not self._is_cut:
            self._difference = Difference(
                what=f"call {number}",
                recorded=None if recorded is None else recorded.value,
                replayed=made,
            )
            self.control.abort("the replay has diverged")
        else:
            self.control.abort("the record ends here")

    def printed(self, entry: LogEntry) -> None:
        """Count what is printed."""
        self._left_chars -= len(entry.text)
        self._end_with_the_record()

    def _end_with_the_record(self) -> None:
        """A run that was ended from outside is over when all that it did has been done again."""
        is_done = self._next is None and self._playback.next is None and self._left_chars <= 0
        if self._is_cut and is_done:
            self.control.abort("the record ends here")

    def judge(self, outcome: Outcome) -> Replay:
        """The verdict on a replay that is over."""
        evidence = self._evidence
        difference = self._difference
        if difference is None and self._next is not None:
            what = f"call {self._next.subject}"
            difference = Difference(what=what, recorded=self._next.value, replayed=None)
        if difference is None:
            difference = first_difference(evidence.outcome, as_json(outcome))
        run = evidence.run
        if difference is None:
            notes = _notes(evidence.outcome) if self._is_cut else ()
            reason = "the same calls, arguments, order, output and result"
            return Replay(
                verdict="identical",
                call_id=run.call_id,
                session=run.session,
                reason=reason,
                calls=self._same_calls,
                notes=notes,
            )
        return Replay(
            verdict="diverged",
            call_id=run.call_id,
            session=run.session,
            reason=f"{difference.what} is not what the record has",
            difference=difference,
            calls=self._same_calls,
            notes=causes(difference, evidence.source, recorded_by=run.engine, replayed_by=engine()),
        )


def _notes(outcome: Mapping[str, Any]) -> tuple[str, ...]:
    kind = outcome["failure"]["kind"]
    return (f"the run was ended from outside ({kind}); compared up to that point",)


def _binding(grant: Mapping[str, Any]) -> Binding:
    signature = grant["signature"]
    return Binding(
        handler=_never,
        signature=None
        if signature is None
        else Signature(
            parameters=tuple(Parameter(**one) for one in signature["parameters"]),
            is_closed=signature["is_closed"],
            doc=signature["doc"],
        ),
        label=grant["label"],
        aliases=tuple(grant["aliases"]),
        is_lookup=grant["is_lookup"],
        is_hidden=grant["is_hidden"],
    )


def _never(call: Call) -> Awaitable[Json]:
    raise RuntimeError(f"a replay called {call.name}")
