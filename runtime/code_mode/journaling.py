"""One run on its way into the journal: what makes it repeatable, and everything that happens to it.

A journaled run gets a seed and a clock of its own. What is recorded passes the host's redaction
first; what was redacted is kept as such, without a digest. A journal that cannot be written ends
the run: a record with a hole would be a false witness.

Source: spec AUDIT 3.1, 3.3.
"""

from __future__ import annotations

import base64
import hashlib
import platform
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from codemode import __version__
from codemode.runtime.code_mode.outcomes import as_json
from codemode.runtime.errors import ToolError
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.log.errors import LogError
from codemode.runtime.log.journal import EntryKind, Journal, JournalRun
from codemode.runtime.log.redaction import REDACTED, Redactor
from codemode.runtime.log.retention import Retention
from codemode.sandbox.control import RunControl
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Binding, Call, Outcome, Program
from codemode.sandbox.timeline import Delivery, Recording
from codemode.sandbox.values import FrozenDict, Json, snapshot

if TYPE_CHECKING:
    from codemode.runtime.code_mode.resuming import ResumedRun

#: Exact in every JSON reader.
_SEED_BITS: Final = 53


def engine() -> str:
    """What runs programs here: versions of codemode and Python."""
    return f"codemode {__version__}, Python {platform.python_version()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Journaling:
    """How the runs of a runtime are journaled.

    Attributes:
        digests_only: Keep no value.
        redact: Sees each value under `journal/` and the entry's kind.
        retention: Forgets old runs as new ones begin.
    """

    journal: Journal
    digests_only: bool = False
    redact: Redactor | None = None
    retention: Retention | None = None

    def begin(
        self,
        session: str,
        call_id: str,
        program: Program,
        bindings: Mapping[str, Binding],
        limits: Limits,
        *,
        sdk_sha256: str,
        control: RunControl,
        resumed: ResumedRun | None = None,
    ) -> RunRecorder:
        """Open the record of a run and attach it to the run's control.

        Args:
            resumed: It goes on from an earlier record, with the seed and the clock of that.

        Raises:
            ToolError: The journal cannot be written. Nothing has run.
        """
        began = time.time()
        seed, clock = secrets.randbits(_SEED_BITS), began
        if resumed is not None:
            seed, clock = resumed.seed, resumed.clock
        grants = grants_as_json(bindings)
        run = JournalRun(
            session=session,
            call_id=call_id,
            mode="digest" if self.digests_only else "full",
            began=began,
            program_sha256=self._digest_of(program.source),
            sdk_sha256=sdk_sha256,
            grants_sha256=sha256_of(grants),
            seed=seed,
            clock=clock,
            limits=limits.as_json(),
            artifacts=list(program.artifacts),
            engine=engine(),
        )
        program = replace(program, seed=seed, clock=clock)
        recorder = RunRecorder(self.journal, run, program, self.redact, control)
        try:
            if self.retention is not None:
                self.retention.apply(began)
            self.journal.begin(run, grants)
        except LogError as error:
            raise _unwritable(error) from error
        for path, data in program.files.items():
            recorder.file(path, data)
        recorder.beginning = self.journal.so_far(run)
        recording = Recording(on_call=recorder.called, on_delivery=recorder.delivered)
        control.timeline = recording
        if resumed is not None:
            control.timeline = resumed.timeline(recording, recorder.keep)
        return recorder

    def digest_of_answer(self, value: Json) -> str | None:
        """What the log may say of an answer that the host gave; None if redaction changes it."""
        if self.redact is not None:
            fields = cast("FrozenDict", snapshot({"value": value}))
            if self.redact.apply("journal/reply", fields) is not fields:
                return None
        return sha256_of(value)

    def _digest_of(self, source: str) -> str:
        """The program's digest; none where the log has no whole program that it could be of."""
        if self.redact is not None:
            fields = FrozenDict({"program": source})
            if self.redact.apply("tool/code-run-start", fields) is not fields:
                return ""
        return hashlib.sha256(source.encode()).hexdigest()


class RunRecorder:
    """Records one run.

    Attributes:
        program: The program to run, with its seed and its clock.
        beginning: The head of the record before the program's first call.
        fault: Why the journal could not be written; the run is ended then.
    """

    def __init__(
        self,
        journal: Journal,
        run: JournalRun,
        program: Program,
        redact: Redactor | None,
        control: RunControl,
    ) -> None:
        self.program = program
        self.beginning = ""
        self.fault: ToolError | None = None
        self._journal = journal
        self._run = run
        self._redact = redact
        self._control = control

    def file(self, path: str, data: bytes) -> None:
        """Record an input file."""
        self._add("file", _file(path, data))

    def called(self, number: int, call: Call) -> None:
        """Record a submission."""
        body: dict[str, Json] = {
            "name": call.name,
            "line": call.line,
            "arguments": cast("Json", call.arguments),
        }
        self._add("call", body, subject=number)

    def delivered(self, delivery: Delivery) -> None:
        """Record what reaches the program."""
        self._add(delivery.kind, delivery.value, subject=delivery.number, at=delivery.at)

    def keep(self) -> None:
        """Make durable what was recorded; a run that is interrupted is resumed from that.

        Raises:
            LogError: The journal cannot be written, and the run is ended.
        """
        if self.fault is None:
            try:
                self._journal.flush(self._run)
            except LogError as error:
                self._fail(error)
                raise

    def end(self, outcome: Outcome) -> str | None:
        """Record the outcome; gives the digest that stands for the record, if it is whole."""
        body = as_json(outcome)
        hidden = [path for path, data in outcome.artifacts.items() if self._is_secret(path, data)]
        if hidden:
            # Of a file that redaction would change not even the digest is kept.
            digests = cast("dict[str, Json]", body["artifacts"])
            body["artifacts"] = {**digests, **dict.fromkeys(hidden, REDACTED)}
        self._add("end", body, redacted=bool(hidden))
        if self.fault is None:
            try:
                return self._journal.end(self._run)
            except LogError as error:
                self.fault = _unwritable(error)
        return None

    def _add(
        self,
        kind: EntryKind,
        value: Json,
        *,
        subject: int = 0,
        at: float | None = None,
        redacted: bool = False,
    ) -> None:
        if self.fault is not None:
            return
        kept, is_changed = self._told(kind, value)
        redacted = redacted or is_changed
        try:
            self._journal.add(self._run, kind, kept, subject=subject, at=at, redacted=redacted)
        except LogError as error:
            self._fail(error)

    def _fail(self, error: LogError) -> None:
        self.fault = _unwritable(error)
        self._control.abort(self.fault.message)

    def _told(self, kind: str, value: Json) -> tuple[Json, bool]:
        """What may be kept of a value, and whether that is another one."""
        if self._redact is None or kind == "tick":
            return value, False
        fields = cast("FrozenDict", snapshot({"value": value}))
        told = self._redact.apply(f"journal/{kind}", fields)
        return (value, False) if told is fields else (told["value"], True)

    def _is_secret(self, path: str, data: bytes) -> bool:
        return self._told("artifact", _file(path, data))[1]


def _file(path: str, data: bytes) -> Json:
    """A file as text where it is text, so that redaction can read it."""
    try:
        return {"path": path, "text": data.decode()}
    except UnicodeDecodeError:
        return {"path": path, "base64": base64.b64encode(data).decode()}


def grants_as_json(bindings: Mapping[str, Binding]) -> dict[str, Json]:
    """What a program can call, by path: all that the guest is told."""
    return {
        path: {
            "label": one.label,
            "aliases": list(one.aliases),
            "is_lookup": one.is_lookup,
            "is_hidden": one.is_hidden,
            "signature": None if one.signature is None else _plain(asdict(one.signature)),
        }
        for path, one in bindings.items()
    }


def _plain(value: Any) -> Json:
    return cast("Json", {**value, "parameters": list(value["parameters"])})


def _unwritable(error: LogError) -> ToolError:
    return ToolError(f"the run journal cannot be written: {error}", "LOG_UNAVAILABLE")
