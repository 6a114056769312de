"""Whether a log is whole: the chain, the signatures, the digests, every invariant of the protocol.

Streams: memory does not grow with the log. It proves that nothing was changed, dropped, inserted
or reordered; with a public key also who wrote it. Without one it proves consistency, not
authorship, and says so. It never changes the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from codemode.runtime.audit.digests import digest_faults
from codemode.runtime.audit.invariants import Fault, InvariantChecker
from codemode.runtime.log import chain
from codemode.runtime.log.errors import LogCorruptError, LogError, SessionNotFoundError
from codemode.runtime.log.events import Event, Record, is_foreign, read_fault
from codemode.runtime.log.signing import is_genuine
from codemode.runtime.log.store import EventStore
from codemode.runtime.log.vocabulary import RESERVED
from codemode.sandbox.values import Json

_ANCHOR: Final = re.compile(r"[0-9]+:[0-9a-fA-F]{64}")
#: After so many faults of one session the rest is not listed.
MAX_FAULTS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReport:
    """What was found in one session.

    Attributes:
        is_anchored: A cut or an added tail would be noticed: the session is closed, or ends in
            `head`; where a key was given, its last signature vouches for all but the close.
        anchored_to: The last `seq` that an anchor inside the log, or the given one, stands for.
        signed_to: `seq` up to which a genuine signature vouches for the events.
    """

    session: str
    events: int
    head: str
    is_closed: bool
    is_anchored: bool
    anchored_to: int
    signed_to: int
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The verdict on a log.

    Attributes:
        ok: Nothing is wrong; with `strict`, nothing is unanchored either.
        first_broken: The first event that shows a fault.
        faults: Everything found, in order, up to `MAX_FAULTS` a session.
        warnings: What is not proven, and what is only remarkable.
    """

    ok: bool
    first_broken: Fault | None
    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]
    sessions: tuple[SessionReport, ...]

    def as_json(self) -> dict[str, Json]:
        """The verdict as plain JSON."""
        return {
            "ok": self.ok,
            "first_broken": _fault_json(self.first_broken) if self.first_broken else None,
            "faults": [_fault_json(fault) for fault in self.faults],
            "warnings": list(self.warnings),
            "sessions": [
                {
                    "session": one.session,
                    "events": one.events,
                    "head": one.head,
                    "is_closed": one.is_closed,
                    "is_anchored": one.is_anchored,
                    "anchored_to": one.anchored_to,
                    "signed_to": one.signed_to,
                    "key": one.key,
                }
                for one in self.sessions
            ],
        }


def verify(
    store: EventStore,
    session: str | None = None,
    *,
    head: str | None = None,
    strict: bool = False,
    public_key: bytes | None = None,
) -> Report:
    """Check one session, or all of them.

    Args:
        store: The log.
        session: Its id; None for every session of the log.
        head: An anchor `SEQ:HASH` that the reviewer holds; needs a single session.
        strict: A tail that could have been cut unnoticed is a fault too.
        public_key: Raw Ed25519 key that must have signed the checkpoints.

    Raises:
        SessionNotFoundError: There is no such session, or none at all.
        LogError: `head` is malformed, or fits no single session; the log cannot be read.
    """
    known = store.sessions()
    names = known if session is None else (session,)
    if not known or (session is not None and session not in known):
        raise SessionNotFoundError(f"{store.location} has no session {session or ''}".rstrip())
    if head is not None and len(names) != 1:
        raise LogError("--head is the anchor of one session: name it, the log has several")
    anchor = _read_anchor(head) if head is not None else None
    faults: list[Fault] = []
    warnings = [f"not an event: {damage}" for damage in store.damage()]
    reports: list[SessionReport] = []
    is_unanchored = False
    for name in names:
        check = _SessionCheck(name, public_key)
        try:
            for record in store.read(name):
                check.feed(record)
                if anchor is not None and record.seq == anchor[0]:
                    check.meet_anchor(record, anchor[1])
        except LogCorruptError as error:
            check.stop(error)
        report = check.finish(anchor)
        is_unanchored |= not report.is_anchored
        faults += check.faults
        warnings += check.warnings
        reports.append(report)
    return Report(
        ok=not faults and not (strict and is_unanchored),
        first_broken=faults[0] if faults else None,
        faults=tuple(faults),
        warnings=tuple(warnings),
        sessions=tuple(reports),
    )


@dataclass(slots=True)
class _SessionCheck:
    """One session on its way past: constant memory."""

    session: str
    public_key: bytes | None
    faults: list[Fault] = field(default_factory=list[Fault])
    warnings: list[str] = field(default_factory=list[str])
    count: int = 0
    seq: int = 0
    head: str = chain.GENESIS
    last_type: str = ""
    anchored_to: int = 0
    signed_to: int = 0
    key: str | None = None
    is_chain_whole: bool = True
    has_met_anchor: bool = False
    newer: int = 0
    invariants: InvariantChecker = field(default_factory=InvariantChecker)

    def feed(self, record: Record) -> None:
        """Check the next record."""
        self.count += 1
        try:
            event = record.event()
        except LogCorruptError as error:
            self._break(record.seq, str(error))
        else:
            for message in self._chain_faults(record, event):
                self._break(record.seq, message)
            for message in self._event_faults(event):
                self._fault(record.seq, message)
        self.seq, self.head, self.last_type = record.seq, record.hash, record.type

    def stop(self, error: LogCorruptError) -> None:
        """The store cannot give the next record."""
        self._break(self.seq + 1, f"cannot be read: {error}")

    def meet_anchor(self, record: Record, expected: str) -> None:
        """Compare with the reviewer's own anchor."""
        self.has_met_anchor = True
        self.anchored_to = record.seq
        if record.hash != expected:
            self._fault(record.seq, "its hash is not the one of --head: this is another history")

    def finish(self, anchor: tuple[int, str] | None) -> SessionReport:
        """The verdict once the last record has passed."""
        if anchor is not None and not self.has_met_anchor:
            self._fault(self.seq, f"the log ends here, but --head names event {anchor[0]}")
        is_closed = self.last_type == "session/close"
        # What a signed checkpoint cannot cover is itself and the close that follows it. Whoever
        # lacks the key can add events and a close of his own behind it.
        unsigned = self.seq - self.signed_to - (2 if is_closed else 1)
        is_vouched = self.public_key is None or unsigned <= 0
        is_anchored = self.has_met_anchor and self.anchored_to == self.seq
        if is_closed and is_vouched:
            self.anchored_to, is_anchored = self.seq, True
        elif not is_vouched and not self.has_met_anchor:
            self.anchored_to = self.signed_to
        if self.public_key is not None and not self.signed_to:
            self._fault(self.seq, "no checkpoint is signed with the key that was given")
        self._warn(is_closed=is_closed, is_anchored=is_anchored, unsigned=unsigned)
        return SessionReport(
            session=self.session,
            events=self.count,
            head=self.head,
            is_closed=is_closed,
            is_anchored=is_anchored,
            anchored_to=self.anchored_to,
            signed_to=self.signed_to,
            key=self.key,
        )

    def _warn(self, *, is_closed: bool, is_anchored: bool, unsigned: int) -> None:
        say = self.warnings.append
        if not self.is_chain_whole:
            return  # what follows a break proves nothing, for or against
        if not is_anchored:
            say(f"{self.session}: unanchored after seq {self.anchored_to}")
        if not is_closed:
            for end in self.invariants.open_ends():
                say(f"{self.session}: {end} (the session is not closed)")
        if not self.signed_to:
            say(f"{self.session}: not signed: this proves consistency, not authorship")
        elif self.public_key is None:
            say(f"{self.session}: signed by {self.key}; give that key to prove whose it is")
        if self.signed_to and unsigned > 0:
            say(f"{self.session}: not signed after seq {self.signed_to}")
        if self.newer:
            say(f"{self.session}: {self.newer} events of a newer version were not judged")

    def _break(self, seq: int, message: str) -> None:
        self.is_chain_whole = False
        self._fault(seq, message)

    def _fault(self, seq: int, message: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(self.session, seq, message))

    def _chain_faults(self, record: Record, event: Event) -> Iterator[str]:
        if record.seq != self.seq + 1:
            yield f"follows event {self.seq}: events are missing, repeated or out of order"
        if not record.is_intact():
            yield "was changed: its hash is not that of its content"
        elif event.body() != record.body:
            yield "is not in canonical form"
        if event.prev != self.head:
            yield "does not follow the event before it: `prev` is not that event's hash"
        if (event.session, event.seq, event.type) != (record.session, record.seq, record.type):
            yield "the store's index and the event's content differ"

    def _event_faults(self, event: Event) -> Iterator[str]:
        if fault := read_fault(event):
            yield f"does not fit the schema of {event.type} version {event.version}: {fault}"
            self.invariants.skip(event)
        elif is_foreign(event) and event.type.partition("/")[0] in RESERVED:
            self.newer += 1
            self.invariants.skip(event)
        # After a break the protocol's state is unknown, and would only make noise.
        elif self.is_chain_whole:
            if event.type == "log/checkpoint":
                yield from self._checkpoint_faults(event)
            yield from digest_faults(event)
            yield from (fault.message for fault in self.invariants.feed(event))

    def _checkpoint_faults(self, event: Event) -> Iterator[str]:
        count, head = event.data["count"], event.data["head"]
        if count != event.seq - 1 or head != event.prev:
            return  # the invariants say so
        self.anchored_to = event.seq
        if event.data.get("signature") is None:
            return
        try:
            key = bytes.fromhex(event.data["public_key"])
            signature = bytes.fromhex(event.data["signature"])
        except (KeyError, ValueError):
            yield "the checkpoint's key or signature is not hexadecimal"
            return
        if self.public_key is not None and key != self.public_key:
            yield "the checkpoint is signed with another key than the one given"
        elif not is_genuine(key, signature, chain.checkpoint_text(event.session, count, head)):
            yield "the checkpoint's signature is false"
        else:
            self.signed_to, self.key = count, key.hex()


def _read_anchor(text: str) -> tuple[int, str]:
    seq, _, digest = text.partition(":")
    if not _ANCHOR.fullmatch(text):
        raise LogError(f"{text!r} is not an anchor: SEQ:HASH, with 64 hexadecimal digits")
    return int(seq), digest.lower()


def _fault_json(fault: Fault) -> dict[str, Json]:
    return {"session": fault.session, "seq": fault.seq, "message": fault.message}
