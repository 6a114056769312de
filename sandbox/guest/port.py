"""The guest's end of the bridge as something to write to and to block on.

The only module of the guest that touches the descriptor. It must never write anything but frames of
the machine, and never wait anywhere but in `receive`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.frames import READ_BYTES
from codemode.sandbox.bridge.guest import GuestBridge
from codemode.sandbox.bridge.machine import MOST_NOTICES
from codemode.sandbox.bridge.messages import (
    Artifact,
    CallOut,
    Cancel,
    End,
    Fail,
    GuestMessage,
    Notice,
    Now,
    Out,
    Run,
    Timer,
)
from codemode.sandbox.guest.chance import CHANCE
from codemode.sandbox.guest.records import RECORDS, Record
from codemode.sandbox.program import Stream

#: How deep a value of this run's program may be.
_levels: Final = [wire.MOST_LEVELS]

#: The kernel's own, before the scratch tree takes their names.
_read: Final = os.read
_write: Final = os.write


class Port:
    """One guest's connection to its host.

    Attributes:
        fd: The descriptor. The fork server makes the port ahead, before there is one.
        limits: Copies of the host's limits, for early and good messages only.
    """

    def __init__(self) -> None:
        self.fd = -1
        self._bridge = GuestBridge(record=Record)
        self._calls = 0
        self._timers = self._notices = 0
        self.limits: dict[str, int] = {}

    @property
    def is_waited_for(self) -> bool:
        """Whether the host still owes the answer to a call."""
        return bool(self._bridge.outstanding)

    def receive(self) -> list[Any]:
        """Block until at least one message is complete, and give all that are.

        Under a virtual clock it gives exactly one: how many there are depends on the machine.
        The process ends when the host is gone: nobody is left to report to.
        """
        messages: list[Any] = []
        while True:
            for message in self._bridge.messages():
                if type(message) is Now:
                    CHANCE.advance(message.at)
                    continue
                messages.append(message)
                if CHANCE.is_virtual:
                    break
            if messages:
                return messages
            data = _read(self.fd, READ_BYTES)
            if not data:
                os._exit(0)
            self._bridge.receive(data)

    def receive_run(self) -> Run:
        """Block until the program comes."""
        (run,) = self.receive()
        assert isinstance(run, Run)  # noqa: S101  # the table allows nothing else
        self.limits = dict(run.limits)
        _levels[0] = min(self.limits["nesting"], wire.MOST_LEVELS)
        self._bridge.max_frame_bytes = self.limits["frame_bytes"]
        return run

    def out(self, stream: Stream, text: str) -> None:
        """Send printed text, if it is any; lone surrogates must be gone from it."""
        if text:
            self._send(Out(stream=stream, text=text))

    def call(self, name: str, line: int | None, arguments: bytes) -> int:
        """Send a call with encoded arguments; gives the id that its answer will have."""
        self._calls += 1
        message = CallOut(id=self._calls, name=name, line=line, arguments={})
        fields: dict[str, object] = {"t": "call", "id": self._calls, "name": name, "line": line}
        head = wire.opened(fields, "arguments")
        self._write(self._bridge.send_encoded(message, head, arguments))
        return self._calls

    def cancel(self, call_id: int) -> None:
        """Say that nobody waits for a call any more."""
        self._send(Cancel(id=call_id))

    def timer(self, seconds: float) -> int:
        """Ask for a tick; gives its number. An earlier timer is forgotten."""
        self._timers += 1
        self._send(Timer(n=self._timers, seconds=min(max(float(seconds), 0.0), 1e8)))
        return self._timers

    def notice(self, text: str) -> None:
        """Report a refusal that does not leave the guest as a call; the host hears of the first."""
        self._notices += 1
        if self._notices <= MOST_NOTICES:
            self._send(Notice(text=text))

    def artifact(self, path: str, data: bytes) -> None:
        """Hand over a scratch file."""
        self._send(Artifact(path=path, data=data))

    def end(self, value: bytes | None) -> NoReturn:
        """Say that the program ended well, with its encoded result if it has one, and be gone."""
        message = End(has_value=value is not None, value=None)
        fields: dict[str, object] = {"t": "end", "has_value": value is not None}
        packed = wire.pack(None) if value is None else value
        self._write(self._bridge.send_encoded(message, wire.opened(fields, "value"), packed))
        self._leave()

    def fail(self, failure: Fail) -> NoReturn:
        """Say that the program ended badly, and be gone."""
        self._send(failure)
        self._leave()

    def _leave(self) -> NoReturn:
        """Wait for the host to end this process, having looked at what it used."""
        while _read(self.fd, READ_BYTES):
            pass
        os._exit(0)

    def _send(self, message: GuestMessage) -> None:
        self._write(self._bridge.send(message))

    def _write(self, frames: Iterable[bytes]) -> None:
        for one in frames:
            rest = memoryview(one)
            while rest:
                rest = rest[_write(self.fd, rest) :]


def encode(value: object) -> bytes:
    """Encode a value of the program's own by exact type, calling none of its methods.

    Raises:
        TooManyError: It has too many lists and maps for the host.
        WireError: It is not lossless JSON; `values.snapshot` says where.
    """
    packed = wire.pack_strictly(value, nesting=_levels[0], records=RECORDS)
    wire.judge_containers(packed)
    return packed
