"""The writing end of one session's log: validate, redact, encode, chain, queue.

`append` is synchronous and cheap; a thread makes events durable in groups, and `flush` waits for
it. An event that was acknowledged is never rewritten. This module never logs a value that redaction
has not seen, and never goes on after an event was lost.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

import anyio
import anyio.lowlevel
import anyio.to_thread

from codemode import __version__
from codemode.runtime.log import chain
from codemode.runtime.log.canonical import encode
from codemode.runtime.log.errors import (
    InvalidEventError,
    LogError,
    LogUnavailableError,
    SessionClosedError,
)
from codemode.runtime.log.events import Event, Record, check_written, settle
from codemode.runtime.log.preview import MAX_FIELD_BYTES, shorten
from codemode.runtime.log.redaction import Redactor
from codemode.runtime.log.signing import Signer
from codemode.runtime.log.store import EventStore
from codemode.runtime.log.writer import GroupWriter

Now = Callable[[], datetime]

#: Events that `subscribe` takes from the store at once.
_READ_AHEAD: Final = 256
#: How long the event loop may stand still for the last records of a session that breaks off.
_LET_GO_S: Final = 1.0


def utc_now() -> datetime:
    """The wall clock, UTC."""
    return datetime.now(UTC)


def new_session_id() -> str:
    """An id for a fresh session: sorts by time in a listing, unique by its random part."""
    return f"s_{datetime.now().astimezone().strftime('%Y%m%d%H%M%S')}_{uuid4().hex[:8]}"


class SessionLog:
    """The one writer of one session; an asynchronous context manager.

    A new session begins with `session/open`; an old one goes on where it ended. `append` and `emit`
    may be called from any thread; the rest from the event loop.

    Args:
        redact: Sees arguments, content, programs and reasons before they are written.
        now: The clock; UTC.
        signer: Signs checkpoints, and one before the end of the session.
        meta: The host's own labels of a new session.

    Raises:
        SessionBusyError: Another writer has the session.
        SessionClosedError: The session has ended.
        LogError: The log cannot be read.
    """

    def __init__(
        self,
        store: EventStore,
        session_id: str,
        *,
        redact: Redactor | None = None,
        now: Now = utc_now,
        signer: Signer | None = None,
        meta: Mapping[str, object] | None = None,
    ) -> None:
        self.session = session_id
        self.store = store
        self._redact = redact
        self._now = now
        self._signer = signer
        self._lease = store.acquire(session_id)
        try:
            last = store.last(session_id)
            if last is not None and last.type == "session/close":
                raise SessionClosedError(f"session {session_id!r} of {store.location} has ended")
        except BaseException:
            self._lease.release()
            raise
        self._seq = last.seq if last else 0
        self._head = last.hash if last else chain.GENESIS
        self._name = encode(session_id)
        self._ticket = 0
        self._is_closed = False
        #: Why an event never came to be; those before it are written all the same.
        self._lost: LogError | None = None
        self._readers: set[anyio.Event] = set()
        self._order = threading.Lock()
        self._writer = GroupWriter.of(store)
        self._writer.begin(session_id)
        if last is None:
            try:
                self.append("session/open", {"form": "c1", "engine": __version__, "meta": meta})
            except BaseException:
                self._let_go()
                raise

    @property
    def seq(self) -> int:
        """`seq` of the last event, 0 if there is none."""
        return self._seq

    @property
    def head(self) -> str:
        """`hash` of the last event: with `seq`, the anchor `SEQ:HASH` that verify takes."""
        return self._head

    @property
    def pending(self) -> tuple[int, int]:
        """How many events, and bytes of them, wait to be written, of all sessions of the store."""
        return self._writer.pending

    def emit(
        self,
        type: str,
        data: Mapping[str, object],
        *,
        turn: int | None = None,
        step: int | None = None,
    ) -> Event:
        """As `append`, and give the event as it will be read."""
        return self.append(type, data, turn=turn, step=step).event()

    def append(
        self,
        type: str,
        data: Mapping[str, object],
        *,
        turn: int | None = None,
        step: int | None = None,
    ) -> Record:
        """Append an event; it is durable after the next `flush`, or 5 ms later.

        Fields that are None are left out. Blocks only if far too much is waiting to be written:
        await `ready` between events to never meet that.

        Raises:
            InvalidEventError: The fields do not fit the type's schema; nothing was written.
            LogUnavailableError: This event or an earlier one was lost, and so is what follows.
            SessionClosedError: After `aclose`.
        """
        if self._is_closed:
            raise SessionClosedError(f"session {self.session!r} has ended")
        self._raise_failure()
        if self._writer.is_full:
            self._writer.wait(self._ticket)
        try:
            version, encoded = self._encoded(type, data)
            with self._order:
                return self._place(type, version, encoded, turn, step)
        except InvalidEventError:
            raise
        except Exception as error:
            # What was to be said is lost: a log that went on would be a false witness.
            self._lost = LogError(f"{type} could not be written ({error.__class__.__name__})")
            self._lost.__cause__ = error
            self._raise_failure()
            raise

    def _encoded(self, type: str, data: Mapping[str, object]) -> tuple[int, bytes]:
        """Validated and redacted: the version of its schema, and its fields as bytes."""
        fields = settle(type, data)
        version = check_written(type, fields)
        if self._redact is not None:
            fields = self._redact.apply(type, fields)
        try:
            encoded = encode(fields)
        except ValueError as error:
            raise InvalidEventError(f"{type}: {error}") from error
        if len(encoded) > MAX_FIELD_BYTES:
            encoded = encode(shorten(type, fields))
        return version, encoded

    def _place(
        self, type: str, version: int, encoded: bytes, turn: int | None, step: int | None
    ) -> Record:
        """Give the event its place: number, time, and link to the one before."""
        now = self._now().isoformat(timespec="microseconds")
        seq = self._seq + 1
        body = (
            b'{"data":%b,"prev":"%b","seq":%d,"session":%b,"step":%b,"time":"%bZ","turn":%b,'
            b'"type":"%b","version":%d}'
        ) % (
            encoded,
            self._head.encode(),
            seq,
            self._name,
            b"null" if step is None else b"%d" % step,
            now[:26].encode(),
            b"null" if turn is None else b"%d" % turn,
            type.encode(),
            version,
        )
        record = Record(self.session, seq, type, body, chain.digest(body))
        self._ticket = self._writer.submit(record)
        self._seq, self._head = seq, record.hash
        return record

    def checkpoint(self) -> Event:
        """Append an anchor, signed if the host gave a signer.

        Raises:
            LogError: It cannot be signed, or as `append` says.
        """
        data: dict[str, object] = {"count": self._seq, "head": self._head}
        if self._signer is not None:
            data.update(self._signature(self._signer))
        return self.emit("log/checkpoint", data)

    def _signature(self, signer: Signer) -> dict[str, object]:
        text = chain.checkpoint_text(self.session, self._seq, self._head)
        try:
            key, signature = signer.public_key.hex(), signer.sign(text).hex()
        except Exception as error:  # a host's own signer may raise anything
            raise LogError(f"a checkpoint cannot be signed ({error.__class__.__name__})") from error
        return {"algorithm": "ed25519", "public_key": key, "signature": signature}

    async def flush(self) -> None:
        """Wait until everything emitted so far is durable.

        Raises:
            LogUnavailableError: It is not, and will not be.
        """
        if not self._writer.is_durable(self._ticket):
            done = anyio.Event()
            self._writer.call_when_durable(self._ticket, waker(done.set))
            await done.wait()
        self._raise_failure()

    def is_ready(self) -> bool:
        """Whether `ready` would return at once."""
        return not self._writer.is_full

    async def ready(self) -> None:
        """Wait while too much is waiting to be written: call it between events."""
        if not self.is_ready():
            await self.flush()

    async def subscribe(self, *, after: int = 0) -> AsyncGenerator[Event]:
        """Every event whose seq is greater than `after`, past and to come, in order, once durable.

        Ends when the session does. However late a reader joins and however slow it is, it gets
        every event: what it has not taken yet waits in the store, not in memory.
        """
        changed = anyio.Event()
        self._readers.add(changed)
        forget = self._writer.listen(waker(lambda: changed.set()))
        try:
            while True:
                is_last, seen = self._is_closed, changed
                while events := await anyio.to_thread.run_sync(self._page, after):
                    for event in events:
                        yield event
                    after = events[-1].seq
                if is_last:
                    return
                await seen.wait()
                self._readers.discard(seen)
                changed = anyio.Event()
                self._readers.add(changed)
        finally:
            forget()
            self._readers.discard(changed)

    async def aclose(self) -> None:
        """End the session: `session/close` with count and head, then flush; again does nothing.

        The session has ended afterwards, whatever is raised.

        Raises:
            LogUnavailableError: The end could not be written; what was acknowledged is intact.
        """
        if self._is_closed:
            return
        try:
            if self._signer is not None:
                self.checkpoint()
            self.append("session/close", {"count": self._seq, "head": self._head})
            await self.flush()
        finally:
            # Synchronous, so that a cancelled close is durable and lets go all the same.
            self._let_go()

    def abandon(self) -> None:
        """Let go without an end, for a writer that lost track: `repair` settles what is open."""
        if not self._is_closed:
            self._let_go()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _let_go(self) -> None:
        self._is_closed = True
        for reader in self._readers:
            reader.set()
        # Not before the last record was dealt with: the next writer goes on from what it reads.
        if self._writer.wait(self._ticket, at_most_s=_LET_GO_S):
            self._give_back()
        else:  # a store that hangs must not hold the event loop: whoever is woken at last lets go
            self._writer.call_when_durable(self._ticket, self._give_back)

    def _give_back(self) -> None:
        self._lease.release()
        self._writer.release()

    def _page(self, after: int) -> list[Event]:
        records = self.store.read(self.session, after=after)
        return [record.event() for record, _ in zip(records, range(_READ_AHEAD), strict=False)]

    def _raise_failure(self) -> None:
        failure = self._lost or self._writer.failure(self.session)
        if failure is not None:
            raise LogUnavailableError(f"the log is unavailable: {failure}") from failure


def waker(callback: Callable[[], object]) -> Callable[[], None]:
    """A way to run `callback` on the current event loop from another thread, without waiting."""
    native: Any = anyio.lowlevel.current_token().native_token
    # asyncio's loop and trio's token each have one thread-safe door, under their own names.
    is_trio = hasattr(native, "run_sync_soon")
    call = native.run_sync_soon if is_trio else native.call_soon_threadsafe

    def wake() -> None:
        try:
            call(callback)
        except RuntimeError:
            # The loop that waited has ended; nobody is left to be woken.
            return

    return wake
