"""What reaches a program while it waits, in what order: recorded as it happens, or as recorded.

A program whose clock is virtual (`Program.clock`) and whose chance is seeded depends on nothing but
the answers to its calls, the ticks of its timers, their order, and the times that they carry. A
`Recording` tells all of that to its maker; a `Playback` gives it to a program again, and then no
handler is called and no timer is waited for. A `Resumption` does so as far as the record goes, and
records from there on. No I/O here.

Source: AUDIT 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from codemode.sandbox.marks import override
from codemode.sandbox.program import Call
from codemode.sandbox.values import Json

#: An answer, a failed call, the tick of a timer, or the end of the run by a handler's demand.
DeliveryKind = Literal["reply", "fault", "tick", "stop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One thing that reached a program.

    Attributes:
        number: Which submission it answers, lookups included, or which timer; both count from 1.
        at: Seconds since the run began: what the program's clock then shows.
        value: Of a reply, its value; of a fault, `{"code", "message"}`; of a stop, the reason.
    """

    kind: DeliveryKind
    number: int
    at: float
    value: Json = None


#: Sees every submission, counted from 1 with lookups included, before anything is done about it.
OnCall: TypeAlias = Callable[[int, Call], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Hears of a live run; neither function may block or raise."""

    on_call: OnCall
    on_delivery: Callable[[Delivery], None]


class Playback:
    """Feeds a run from a record.

    Args:
        deliveries: In their order; taken one by one, as the program asks.
        on_call: Sees what the program submits this time.
    """

    def __init__(self, deliveries: Iterable[Delivery], on_call: OnCall) -> None:
        self.on_call = on_call
        self._source = iter(deliveries)
        self._next = next(self._source, None)
        self._calls = 0
        self._timers = 0

    def called(self, number: int) -> Iterator[Delivery]:
        """The program has submitted a call: give what may reach it now."""
        self._calls = number
        return self._due()

    def armed(self, number: int) -> Iterator[Delivery]:
        """The program has set a timer: give what may reach it now."""
        self._timers = number
        return self._due()

    @property
    def next(self) -> Delivery | None:
        """What the record holds next; None at its end."""
        return self._next

    def _due(self) -> Iterator[Delivery]:
        """Everything up to the first that answers what was not asked yet."""
        while (delivery := self._next) is not None:
            asked = self._timers if delivery.kind == "tick" else self._calls
            if delivery.number > asked:
                return
            self._next = next(self._source, None)
            yield delivery


class Resumption(Playback):
    """A playback after whose last delivery the run goes on with its handlers and real timers.

    Args:
        recording: Hears of the whole run, of what is played back too.

    Attributes:
        reached: Seconds since the run began, of the last delivery that was given.
        armed_at: The same, as the program set its last timer.
    """

    def __init__(self, deliveries: Iterable[Delivery], recording: Recording) -> None:
        super().__init__(deliveries, recording.on_call)
        self.recording = recording
        self.reached = self.armed_at = 0.0

    @override
    def armed(self, number: int) -> Iterator[Delivery]:
        """The program has set a timer: give what may reach it now."""
        self.armed_at = self.reached
        return super().armed(number)

    @override
    def _due(self) -> Iterator[Delivery]:
        for delivery in super()._due():
            self.reached = max(self.reached, delivery.at)
            self.recording.on_delivery(delivery)
            yield delivery

    @property
    def is_over(self) -> bool:
        """Whether everything of the record was given."""
        return self.next is None


Timeline: TypeAlias = "Recording | Playback"
