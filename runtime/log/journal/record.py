"""What a journal keeps of a program's run: its facts, its entries, their chain.

`full` keeps the values themselves; `digest` keeps their SHA-256 alone, which proves equality but
feeds no replay. The entries of a run are chained, and the log holds the end of the chain. Nothing
here runs anything, or touches a file.

Source: spec AUDIT 3.1 and CODE_MODE 6.6.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Literal, Protocol, cast

from codemode.runtime.log.canonical import encode, sha256_of
from codemode.sandbox.values import Json

JournalMode = Literal["full", "digest", "off"]

#: A submission, the four kinds of delivery, an input file, and the outcome, which comes last.
EntryKind = Literal["call", "reply", "fault", "tick", "stop", "file", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalRun:
    """What a program's run depended on besides its calls.

    Attributes:
        began: Seconds since the epoch, for retention.
        seed: Of `random`, `uuid4` and `secrets`.
        clock: Seconds since the epoch at which the program's clock began.
        limits: As `Limits.as_json`.
        artifacts: Globs of the files that it had to hand over.
        engine: The versions of codemode and of Python that ran it.
        grants_sha256: Of the canonical form of what the program could call.
    """

    session: str
    call_id: str
    mode: Literal["full", "digest"]
    began: float
    program_sha256: str
    sdk_sha256: str
    grants_sha256: str
    seed: int
    clock: float
    limits: dict[str, float] = field(default_factory=dict[str, float])
    artifacts: list[str] = field(default_factory=list[str])
    engine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a run's record.

    Attributes:
        number: Counts the entries of the run from 1.
        subject: Which submission or which timer it is about; 0 for neither.
        at: Seconds since the run began, of a delivery.
        digest: SHA-256 of the value's canonical form; None when the value was redacted.
        value: The value; None in `digest` mode.
        has_value: Tells a value that is None from one that was not kept.
    """

    number: int
    kind: EntryKind
    subject: int
    at: float | None
    digest: str | None
    value: Json = None
    has_value: bool = False

    def chained(self, previous: str) -> str:
        """The head of the chain after this entry."""
        fields: Json = [previous, self.number, self.kind, self.subject, self.at, self.digest]
        return hashlib.sha256(encode(fields)).hexdigest()


class Journal(Protocol):
    """Where runs are journaled."""

    def begin(self, run: JournalRun, grants: Json) -> None:
        """Open the record of a run."""
        ...

    def add(
        self,
        run: JournalRun,
        kind: EntryKind,
        value: Json,
        *,
        subject: int = 0,
        at: float | None = None,
        redacted: bool = False,
    ) -> None:
        """Record the next entry of a run; cheap, durable after `flush` or `end`.

        Args:
            redacted: `value` stands for another one, of which nothing may be kept.
        """
        ...

    def so_far(self, run: JournalRun) -> str:
        """The head of the chain of a run that goes on."""
        ...

    def flush(self, run: JournalRun) -> None:
        """Make durable what was added to a run."""
        ...

    def end(self, run: JournalRun) -> str:
        """Make everything of a run durable; gives the head of its chain."""
        ...

    def run(self, session: str, call_id: str) -> JournalRun | None:
        """The record of a run, or None if it was not journaled.

        Raises:
            LogCorruptError: It cannot be read; so do the next ones.
        """
        ...

    def head(self, run: JournalRun) -> str | None:
        """The head of its chain as it was written; None if the run never came to its end."""
        ...

    def grants(self, run: JournalRun) -> Json:
        """What the program of a run could call; None if it is not there."""
        ...

    def entries(self, run: JournalRun) -> Iterator[Entry]:
        """The entries of a run, in order."""
        ...

    def prune(self, before: float) -> int:
        """Forget the runs that began before a time, but those that go on here; gives how many."""
        ...

    def pruned_at(self, session: str, call_id: str) -> float | None:
        """When a run was forgotten, in seconds since the epoch; None if it was not."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def first_head(run: JournalRun) -> str:
    """What the chain of a run's entries begins with: its facts."""
    return sha256_of(cast("Json", asdict(run)))
