"""One scheduler for everything that waits in a guest: calls, sleeps, threads, event loops.

The guest has one thread. What a program believes to be threads are strands: greenlets that switch
when one of them waits. When every strand waits, the process blocks in a read of the bridge, and
only there. A timer is a message to the host, answered by a tick, so that there is no poll and no
signal. Order is deterministic: strands run in the order in which they became ready.
"""

from __future__ import annotations

import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import greenlet  # type: ignore[import-untyped]  # it ships none that mypy finds

from codemode.sandbox.bridge.messages import Fault, Reply, Tick
from codemode.sandbox.guest.chance import CHANCE
from codemode.sandbox.guest.port import Port

#: How long a program may spin before the host's answers are fetched.
_SPIN_S: Final = 0.001
#: How often it may, under a virtual clock.
_SPINS: Final = 64
#: So many locks that nobody held, or looks at an event, make a turn of a strand.
_TURN: Final = 256

#: The time by which strands wait.
monotonic: Final = CHANCE.monotonic

#: Gets the answer to a call.
Receiver = Callable[[Reply | Fault], None]


class Strand:
    """One flow of control: the program itself, or one of its threads.

    Attributes:
        ident: Unique within the guest; what `threading.get_ident` gives.
        thread: The program's thread object, if it has made one.
    """

    __slots__ = ("ident", "is_done", "joiners", "lane", "thread")

    def __init__(self, ident: int, lane: greenlet.greenlet) -> None:
        self.ident = ident
        self.lane = lane
        self.is_done = False
        self.joiners: list[Strand] = []
        self.thread: Any = None


class Alarm:
    """A function that is called when its time has come, unless it is cancelled before."""

    __slots__ = ("action", "due")

    def __init__(self, due: float, action: Callable[[], None]) -> None:
        self.due = due
        self.action: Callable[[], None] | None = action

    def cancel(self) -> None:
        """Never call it."""
        self.action = None


class Scheduler:
    """See the module. There is one in a guest; `attach` gives it its port.

    Attributes:
        current: The strand that runs.
        main: The strand of the program itself.
        on_deadlock: Called when nothing can ever happen again; does not return.
        on_lost: Told of what a strand's body raised: it must not come out in another strand.
    """

    def __init__(self) -> None:
        self.main = Strand(1, greenlet.getcurrent())
        self.current = self.main
        self.on_deadlock: Callable[[], Any] = _unattended
        self.on_lost: Callable[[BaseException], None] = _lost
        self._ready: deque[Strand] = deque()
        self._alarms: list[tuple[float, int, Alarm]] = []
        self._armed: float | None = None
        self._last_timer = self._last_tick = 0
        self._last_read = 0.0
        self._spins = self._looks = 0
        self._is_reading = self._is_ringing = False
        self._count = 1
        self._receivers: dict[int, Receiver] = {}
        self._port: Port | None = None

    def attach(self, port: Port) -> None:
        """Begin the one run of this guest, from the greenlet that calls."""
        self._port = port
        self.main.lane = greenlet.getcurrent()
        self._last_read = monotonic()
        self._spins = self._looks = 0
        CHANCE.refresh = self.listen

    def reset(self) -> None:
        """Forget everything, for the run that comes."""
        self.__init__()  # type: ignore[misc]  # a new one could not take its place everywhere

    @property
    def port(self) -> Port:
        """The connection to the host.

        Raises:
            RuntimeError: Nothing runs yet: a view was used while the guest was being prepared.
        """
        if self._port is None:
            raise RuntimeError("no program runs")
        return self._port

    # Strands

    def spawn(self, body: Callable[[], None], *, runs_now: bool = True) -> Strand:
        """Start a strand.

        Args:
            runs_now: Let it run until it waits, as a new thread of the interpreter mostly does.
        """
        self._count += 1
        strand = Strand(self._count, greenlet.getcurrent())
        # Not the greenlet that starts it: one that ends is given a parent among those that go on.
        strand.lane = greenlet.greenlet(lambda: self._live(strand, body), self.main.lane)
        if runs_now:
            self._ready.appendleft(strand)
            self.yield_now()
        else:
            self._ready.append(strand)
        return strand

    def _live(self, strand: Strand, body: Callable[[], None]) -> None:
        events._set_running_loop(None)
        try:
            body()
        except greenlet.GreenletExit:
            raise  # nobody can wake it any more
        except BaseException as error:  # noqa: BLE001  # what a program's class has in our place
            self.on_lost(error)
        strand.is_done = True
        for joiner in strand.joiners:
            self.wake(joiner)
        following = self._next()
        self.current = following
        # A greenlet that ends continues in its parent: make that the strand whose turn it is.
        strand.lane.parent = following.lane

    def join(self, strand: Strand) -> None:
        """Wait for the end of a strand."""
        if not strand.is_done:
            strand.joiners.append(self.current)
            while not strand.is_done:
                self.park()

    def yield_now(self) -> None:
        """Let every strand that is ready run first."""
        if self._ready:
            self._ready.append(self.current)
            self.park()

    def park(self) -> None:
        """Wait until somebody wakes the current strand; others run meanwhile."""
        me = self.current
        following = self._next()
        if following is me:
            return
        loop = events._get_running_loop()
        self.current = following
        following.lane.switch()
        events._set_running_loop(loop)

    def wake(self, strand: Strand) -> None:
        """Make a parked strand ready; more than once is as good as once."""
        if strand not in self._ready:
            self._ready.append(strand)

    def _next(self) -> Strand:
        if self._ready and self._port is not None and self._has_to_hear():
            self._hear()  # strands that keep each other ready keep no alarm and no answer waiting
        while not self._ready:
            self._wait()
        return self._ready.popleft()

    # Time

    def call_later(self, seconds: float, action: Callable[[], None]) -> Alarm:
        """Call `action`, which must not wait, after `seconds`."""
        alarm = Alarm(monotonic() + seconds, action)
        self._count += 1
        heapq.heappush(self._alarms, (alarm.due, self._count, alarm))
        return alarm

    def sleep(self, seconds: float) -> None:
        """Let time pass for the current strand only."""
        me = self.current
        due = monotonic() + seconds
        self.call_later(seconds, lambda: self.wake(me))
        self.park()
        while monotonic() < due:  # woken by something else
            self.park()

    def breathe(self) -> None:
        """Give others their turn, and hear the host if that was long ago; for loops that spin."""
        self.yield_now()
        self._hear()

    def look(self) -> None:
        """Now and then do as `breathe`: for what loops look at until another strand changes it."""
        self._looks += 1
        if self._looks % _TURN or self._is_reading or self._is_ringing or self._port is None:
            return
        if self._ready or self._has_to_hear():
            self.breathe()

    def _hear(self) -> None:
        """Hear the host if that was long ago."""
        if CHANCE.is_virtual:
            # Counted, not timed: when the host is heard must not depend on the machine's speed.
            self._spins += 1
            if self._spins % _SPINS == 0:
                self.listen()
        elif self._has_to_hear() and monotonic() - self._last_read > _SPIN_S:
            self.listen()

    def _has_to_hear(self) -> bool:
        return bool(self._alarms) or self.port.is_waited_for

    def listen(self) -> None:
        """Take everything that the host has said by now."""
        if self._is_reading:
            return
        number = self._last_timer = self.port.timer(0.0)
        self._armed = monotonic()
        while self._last_tick < number:
            self._read()

    def _wait(self) -> None:
        """Every strand waits: block until the host says something."""
        while self._alarms and self._alarms[0][2].action is None:
            heapq.heappop(self._alarms)
        if self._alarms:
            due = self._alarms[0][0]
            now = monotonic()
            if due <= now:
                self._ring()
                return
            if self._armed is None or due < self._armed:
                self._last_timer = self.port.timer(due - now)
                self._armed = due
        elif not self.port.is_waited_for:
            self.on_deadlock()
        self._read()

    def _read(self) -> None:
        self._is_reading = True
        messages = self.port.receive()
        self._last_read = monotonic()
        for message in messages:
            if isinstance(message, Tick):
                self._last_tick = message.n
                if message.n == self._last_timer:
                    CHANCE.advance(self._armed or 0.0)
                    self._armed = None
            else:
                receiver = self._receivers.pop(message.id, None)
                if receiver is not None:
                    receiver(message)
        self._is_reading = False
        self._ring()

    def _ring(self) -> None:
        now = monotonic()
        self._is_ringing = True
        while self._alarms and self._alarms[0][0] <= now:
            action = heapq.heappop(self._alarms)[2].action
            if action is not None:
                action()
        self._is_ringing = False

    # Calls

    def submit(self, name: str, line: int | None, arguments: bytes, receiver: Receiver) -> int:
        """Send a call; `receiver`, which must not wait, gets its answer."""
        call_id = self.port.call(name, line, arguments)
        self._receivers[call_id] = receiver
        return call_id

    def call(self, name: str, line: int | None, arguments: bytes) -> Reply | Fault:
        """Send a call and wait for its answer; other strands run meanwhile."""
        me = self.current
        answers: list[Reply | Fault] = []

        def receive(answer: Reply | Fault) -> None:
            answers.append(answer)
            self.wake(me)

        self.submit(name, line, arguments, receive)
        while not answers:
            self.park()
        return answers[0]

    def forget(self, call_id: int) -> None:
        """Nobody waits for this call any more: tell the host, drop the answer."""
        if self._receivers.pop(call_id, None) is not None:
            self.port.cancel(call_id)


def _unattended() -> None:
    raise RuntimeError("no program runs")


def _lost(error: BaseException) -> None:
    raise error


#: The guest's only scheduler.
SCHEDULER: Final = Scheduler()
