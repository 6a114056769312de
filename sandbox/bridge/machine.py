"""The conversation itself: one table of legal moves, one class, no I/O.

Both sides run this machine over the same table, so that neither can drift: what one may send, the
other may receive. A pair that is not in the table is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import Any, Final

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.chunks import Joiner, split
from codemode.sandbox.bridge.errors import (
    LocalProtocolError,
    ProtocolError,
    RemoteProtocolError,
)
from codemode.sandbox.bridge.frames import FrameReader
from codemode.sandbox.bridge.messages import (
    BY_CLASS,
    Artifact,
    CallOut,
    Cancel,
    Chunk,
    End,
    Fail,
    Fault,
    Message,
    Notice,
    Now,
    Out,
    Reply,
    Run,
    Tick,
    Timer,
    Vocabulary,
    encode_fields,
    parse,
)


class State(IntEnum):
    """What may come next; integers, because every message looks its move up."""

    IDLE = 0  #: a jailed guest waits; the host may send `Run`
    RUNNING = 1  #: the program runs; both sides speak
    CLOSING = 2  #: the guest hands over artifacts; the host is silent
    ENDED = 3  #: the guest has said its last word
    DEAD = 4  #: terminal, after any `RemoteProtocolError`


#: Every legal move, and nothing else.
TRANSITIONS: Final[Mapping[tuple[State, type[Message]], State]] = {
    (State.IDLE, Run): State.RUNNING,
    (State.RUNNING, Reply): State.RUNNING,
    (State.RUNNING, Fault): State.RUNNING,
    (State.RUNNING, Tick): State.RUNNING,
    (State.RUNNING, Now): State.RUNNING,
    (State.RUNNING, Out): State.RUNNING,
    (State.RUNNING, CallOut): State.RUNNING,
    (State.RUNNING, Cancel): State.RUNNING,
    (State.RUNNING, Timer): State.RUNNING,
    (State.RUNNING, Notice): State.RUNNING,
    (State.RUNNING, Artifact): State.CLOSING,
    (State.CLOSING, Artifact): State.CLOSING,
    (State.RUNNING, End): State.ENDED,
    (State.CLOSING, End): State.ENDED,
    (State.RUNNING, Fail): State.ENDED,
    (State.CLOSING, Fail): State.ENDED,
}

#: Timers in a row without a word of the host's: who waits for one sets it and listens.
_UNHEARD_TIMERS: Final = 1_000
#: Each kind of message has its bound, so that none can be a flood: calls and bytes have their
#: limits, a call is cancelled once, an empty output is none, and notices are few.
MOST_NOTICES: Final = 1_000


class Machine:
    """One side of one conversation.

    Args:
        incoming: The messages that the other side may send.
        decode: Decodes a body that may hold so many bytes of binary data, by the trust that this
            side has in the other; raises ValueError.
        max_frame_bytes: Longest frame, in both directions.
        budgets: Most bytes of a chunked message that is received, by its name.
        least_chunk_bytes: Of a chunk that is received, unless it is the last of its message.

    Attributes:
        state: Where the conversation is.
        outstanding: Ids of calls without an answer.
        message_bytes: Size of the message that `messages` gave last, encoded.
    """

    def __init__(
        self,
        *,
        incoming: Vocabulary,
        decode: Callable[[bytes | bytearray, int], Any],
        max_frame_bytes: int,
        budgets: Mapping[str, int],
        least_chunk_bytes: int = 1,
    ) -> None:
        self.state = State.IDLE
        self.outstanding: set[int] = set()
        self.message_bytes = 0
        self.max_frame_bytes = max_frame_bytes
        self._decode = decode
        self._incoming = incoming
        self._reader = FrameReader(max_frame_bytes=max_frame_bytes)
        self._joiner = Joiner(budgets, least_bytes=least_chunk_bytes)
        self._last_call = self._cancels = 0
        self._unheard = self._notices = 0
        self._last_timer = 0
        self._last_tick = 0

    def send(self, message: Message) -> Iterator[bytes]:
        """Advance the state and give the frames to write, in order.

        Raises:
            LocalProtocolError: `message` is not legal now. Nothing changed.
            WireError: It holds a value that cannot be encoded. Nothing changed.
        """
        body = wire.pack(encode_fields(message))
        return self.send_encoded(message, body)

    def send_encoded(self, message: Message, head: bytes, rest: bytes = b"") -> Iterator[bytes]:
        """As `send`, for a message that the caller has encoded already, in up to two parts."""
        self._advance(message, LocalProtocolError)
        tag = BY_CLASS[type(message)].tag
        return split(tag, head, rest, max_frame_bytes=self.max_frame_bytes)

    def receive(self, data: bytes | memoryview) -> None:
        """Take bytes, in pieces of any size. Nothing is judged before `messages`."""
        self._reader.feed(data)

    def messages(self) -> Iterator[Any]:
        """The messages that are complete, in order.

        Raises:
            RemoteProtocolError: Bad framing, bad payload or an illegal move; after what came before
                it was given. The state is `DEAD` from then on.
        """
        try:
            if self.state is State.DEAD:
                raise RemoteProtocolError("the conversation is over")
            while (body := self._reader.next_body()) is not None:
                message = self._parse(body, "")
                self.message_bytes = len(body)
                if type(message) is Chunk:
                    whole = self._joiner.add(message)
                    if whole is None:
                        continue
                    message = self._parse(whole[1], whole[0])
                    self.message_bytes = len(whole[1])
                elif self._joiner.is_open:
                    raise RemoteProtocolError("a message in between the chunks of another")
                self._advance(message, RemoteProtocolError)
                yield message
        except RemoteProtocolError:
            self.state = State.DEAD
            raise

    def _parse(self, body: bytes | bytearray, expected: str) -> Any:
        """Decode and judge one body; `expected` is the name that its chunks announced, or ""."""
        binary = body.startswith(self._incoming.binary_heads, 1)
        try:
            message = parse(self._decode(body, len(body) if binary else 0), self._incoming.schemas)
        except ValueError as error:
            raise RemoteProtocolError(str(error)) from error
        if expected and (type(message) is Chunk or BY_CLASS[type(message)].tag != expected):
            raise RemoteProtocolError("chunks of another message than was announced")
        return message

    def _advance(self, message: Message, error: type[ProtocolError]) -> None:
        kind = type(message)
        said: Any = message  # which fields it has follows from its kind
        new = TRANSITIONS.get((self.state, kind))
        if new is None:
            raise error(f"{kind.__name__} is not legal in {self.state.name}")
        if kind is CallOut:
            if said.id != self._last_call + 1:
                raise error("call ids count from 1 without gaps")
            self._last_call += 1
            self.outstanding.add(said.id)
        elif kind is Reply or kind is Fault:
            if said.id not in self.outstanding:
                raise error("an answer to no outstanding call")
            self.outstanding.discard(said.id)
            self._unheard = 0
        elif kind is Cancel:
            self._cancels += 1
            if said.id > self._last_call or self._cancels > self._last_call:
                raise error("a cancel of no call")
        elif kind is Timer:
            if said.n != self._last_timer + 1:
                raise error("timers count from 1 without gaps")
            self._last_timer += 1
            self._unheard += 1
            if self._unheard > _UNHEARD_TIMERS:
                raise error("timers that nobody waits for")
        elif kind is Tick:
            if not self._last_tick < said.n <= self._last_timer:
                raise error("a tick of no timer")
            self._last_tick = said.n
            self._unheard = 0
        elif kind is Notice:
            self._notices += 1
            if self._notices > MOST_NOTICES:
                raise error(f"more than {MOST_NOTICES} notices")
        self.state = new
