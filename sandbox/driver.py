"""Drives one guest through one run: the thin layer of I/O over the host's side of the bridge.

Reads frames and judges them by the run's limits, starts calls in the order of their submission,
writes answers without ever waiting for the guest. Must never block on a guest, keep more of its
bytes than the limits say, keep others from their turn, or let anything but the run's own grant
table choose what is called.

Source: SANDBOX 3, 4.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from socket import socket
from typing import Any, Final, Protocol

import anyio
from anyio.abc import TaskGroup

from codemode.sandbox import endings
from codemode.sandbox.answer import Answer, Work
from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.errors import RemoteProtocolError
from codemode.sandbox.bridge.host import HostBridge
from codemode.sandbox.bridge.machine import State
from codemode.sandbox.bridge.messages import (
    Artifact,
    CallOut,
    Cancel,
    End,
    Fail,
    Fault,
    HostMessage,
    Notice,
    Now,
    Out,
    Reply,
    Run,
    Tick,
    Timer,
)
from codemode.sandbox.calls import Calls
from codemode.sandbox.control import RunControl
from codemode.sandbox.errors import StopRunError, ToolCallError
from codemode.sandbox.forkserver.guest import Exit
from codemode.sandbox.handover import Handover
from codemode.sandbox.incoming import Incoming
from codemode.sandbox.limits import Limits, passed
from codemode.sandbox.outbox import Outbox
from codemode.sandbox.output import Logs
from codemode.sandbox.packing import pack
from codemode.sandbox.patience import contained_in
from codemode.sandbox.program import Binding, Call, Failure, OnOutput
from codemode.sandbox.reading import Reading
from codemode.sandbox.stopwatch import Stopwatch
from codemode.sandbox.text import clean, encodable
from codemode.sandbox.ticker import Ticker
from codemode.sandbox.timeline import Delivery, DeliveryKind, Playback, Recording, Resumption
from codemode.sandbox.values import InvalidValueError, Json

#: Work in a row before others get their turn: a message counts one, and so do these many bytes.
_BURST: Final = 64
_BURST_BYTES: Final = 16 << 10
#: Unread answers beyond those to calls after which a guest is taken not to read at all.
_UNREAD_FRAMES: Final = 64
_NOTICES: Final = 100
_WAIT_FOR_EXIT_S: Final = 5.0


class DrivenGuest(Protocol):
    """What a driver needs of a guest; `forkserver.guest.Guest` is the real one."""

    @property
    def socket(self) -> socket:
        """The host's end of the bridge, non-blocking."""
        ...

    def cpu_s(self) -> float:
        """Processor time used so far."""
        ...

    def peak_memory_bytes(self) -> int:
        """Greatest resident size so far; 0 when it cannot be told any more."""
        ...

    def kill(self) -> None:
        """End it now."""
        ...

    async def wait(self) -> Exit:
        """How it ended, when it has."""
        ...


@dataclass(slots=True)
class Playing:
    """What a program has asked for, and the record that it is fed from has not answered yet.

    Attributes:
        calls: With the size of their messages, by id, in order.
        unwanted: Ids of calls that the program has cancelled.
        timer: The one that was set last.
    """

    calls: dict[int, tuple[Call, int]] = field(default_factory=dict[int, tuple[Call, int]])
    unwanted: set[int] = field(default_factory=set[int])
    timer: Timer | None = None

    def forget(self, delivery: Delivery) -> None:
        """This has been answered."""
        if delivery.kind != "tick":
            self.calls.pop(delivery.number, None)
        elif self.timer is not None and self.timer.n == delivery.number:
            self.timer = None


class Driver:
    """One run of one guest.

    Args:
        guest: Has no program yet.
        granted: The grant table, by dotted path.
        on_output: Sees each piece of output.
        control: The caller's handle.
        tasks: Where calls live, so that one that does not end when it is asked to is left behind
            after `limits.drain_s`. Without it the run waits for its calls, however long.

    Attributes:
        failure: Why the program did not succeed; None until then, and when it did.
        has_said_its_end: The guest ended the run itself, well or badly.
        value: The program's result.
        handover: The files that it left.
        peak_memory_bytes: The guest's, as seen at the end of the run.
    """

    def __init__(
        self,
        guest: DrivenGuest,
        granted: Mapping[str, Binding],
        limits: Limits,
        on_output: OnOutput | None,
        control: RunControl,
        tasks: TaskGroup | None = None,
    ) -> None:
        self.failure: Failure | None = None
        self.has_said_its_end = self.has_value = False
        self.value: Json = None
        self.handover = Handover(limits)
        self.notices: list[str] = []
        self.logs = Logs(limits, on_output)
        self.calls = self.bytes_in = self.bytes_out = 0
        self.wall_s = self.waiting_s = 0.0
        self.exit: Exit | None = None
        self.peak_memory_bytes = 0
        self._guest = guest
        self._granted = granted
        self._limits = limits
        self._control = control
        self._shared_tasks = tasks
        self._bridge = HostBridge(limits)
        self._outbox = Outbox(guest.socket)
        chunks = limits.total_bytes // limits.frame_bytes
        self._most_unread = limits.calls + limits.outstanding + chunks + _UNREAD_FRAMES
        self._burst = 0
        self._has_ended = self._is_taking = False
        self._timeline = control.timeline
        self._has_virtual_clock = False
        self._begun = 0.0
        #: When a virtual clock shows nothing: the beginning, but in a run that is resumed.
        self._clock_zero = 0.0
        self._playing = Playing()

    # The run as a whole

    async def run(self, message: Run) -> None:
        """Send the program and follow it to its end; then nothing of it runs any more.

        Preconditions: the caller kills and closes the guest afterwards, whatever happened.
        """
        self._begun = self._clock_zero = time.monotonic()
        self._has_virtual_clock = message.clock is not None
        self.handover.wanted = message.artifacts
        if self._shared_tasks is not None:
            await self._run(message, self._shared_tasks)
        else:
            await self._run_alone(message)
        self.waiting_s = self._watch.stop()
        self.wall_s = time.monotonic() - self._begun

    async def _run_alone(self, message: Run) -> None:
        """As `_run`, with a group for this run alone: all its calls are awaited."""
        cancellation: BaseException | None = None
        async with anyio.create_task_group() as tasks:
            try:
                await self._run(message, tasks)
            except anyio.get_cancelled_exc_class() as raised:
                # Nothing runs in the group any more. It takes a cancellation that passes through
                # it for its own, and then the caller's task does not count as cancelled.
                cancellation = raised
        if cancellation is not None:
            raise cancellation

    async def _run(self, message: Run, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._calls = Calls(contained_in(tasks), self._take)
        self._incoming = Incoming(self._guest.socket)
        if self._control.end is None:
            # Before all else: while the guest begins, the rest is made ready.
            self._send(message)
        self._watch = Stopwatch(self._limits)
        self._ticker = Ticker(tasks, self._tick)
        try:
            with anyio.CancelScope() as self._scope:
                self._control.attach(self._controlled)
                self._controlled()
                if not self._is_over():
                    await Reading(self._incoming, self._take_next).run()
            if self._scope.cancelled_caught and not self._has_ended:
                self._finish_by_limit("timeout", self._watch.passed())
        finally:
            self._has_ended = True
            self._control.attach(_nobody)
            self._ticker.close()
            self._incoming.close()
            self._outbox.close()
            await self._calls.drain(None if self._shared_tasks is None else self._limits.drain_s)

    def _controlled(self) -> None:
        """The caller's handle has changed: an end, or a person who is waited for."""
        control = self._control
        if control.end is not None:
            self._finish(control.end)
        else:
            self._scope.deadline = self._watch.turn(is_held=control.is_held)

    def _is_over(self) -> bool:
        return self._has_ended

    def _finish(self, failure: Failure | None) -> None:
        """The run is over; only the first reason counts. The guest stops at once."""
        if not self._has_ended:
            self._has_ended = True
            self.failure = failure
            self.peak_memory_bytes = self._guest.peak_memory_bytes()
            if failure is not None:
                self._guest.kill()
            if not self._is_taking:  # the reader looks for itself; a cancellation costs more
                self._scope.cancel()

    def _finish_by_limit(self, kind: Any, name: str) -> None:
        self._finish(endings.by_limit(kind, name, self._limits))

    def _finish_by_violation(self, what: str) -> None:
        self._finish(endings.by_violation(what))

    # Reading

    async def _take_next(self) -> Work | None:
        """Take what comes until a call stands alone, and give the way to its answer.

        A guest that floods costs others nothing.

        Returns:
            None when the run is over.
        """
        bridge, handlers = self._bridge, self._handlers
        try:
            while not self._is_over():
                data = await self._incoming.receive()
                if not data:
                    await self._end_by_death()
                    break
                bridge.receive(data)
                self._burst += len(data) // _BURST_BYTES
                self._is_taking = True
                for message in bridge.messages():
                    handlers[type(message)](self, message)
                    if self._is_over():
                        break
                    self._burst += 1
                    if self._burst >= _BURST:
                        await self._let_others()
                self._is_taking = False
                if self._burst >= _BURST:
                    await self._let_others()
                elif not self._is_over() and (work := self._calls.take_lone()) is not None:
                    return work
        except RemoteProtocolError as error:
            self._finish_by_violation(f"the guest broke the bridge protocol: {error}")
        finally:
            self._calls.start_lone()  # whatever happens, it has begun
        return None

    async def _let_others(self) -> None:
        """Everybody else's turn."""
        self._calls.start_lone()
        was_taking, self._is_taking, self._burst = self._is_taking, False, 0
        await anyio.lowlevel.checkpoint()
        self._is_taking = was_taking

    async def _end_by_death(self) -> None:
        """The guest is gone without a word: let the kernel say why."""
        if self._has_ended:
            return  # the run is, and the guest was not asked
        with anyio.move_on_after(_WAIT_FOR_EXIT_S, shield=True):
            self.exit = await self._guest.wait()
        self._finish(endings.by_death(self.exit, self._limits))

    def _on_out(self, out: Out) -> None:
        limit = self.logs.add(out)
        if limit is not None:
            self._finish_by_limit("output_limit", limit)

    def _on_notice(self, notice: Notice) -> None:
        if len(self.notices) < _NOTICES:
            self.notices.append(clean(notice.text[:1_000]))
        elif len(self.notices) == _NOTICES:
            self.notices.append("(further notices are left out)")

    def _on_artifact(self, artifact: Artifact) -> None:
        if (failure := self.handover.take(artifact)) is not None:
            self._finish(failure)

    def _on_end(self, end: End) -> None:
        size = self._bridge.message_bytes
        self.bytes_in += size
        if size > self._limits.result_bytes + 64:
            self._finish_by_limit("limit", "result_bytes")
        elif self._is_within_total():
            self.has_said_its_end = True
            if end.has_value:
                self.has_value, self.value = True, end.value
            self._finish(None)

    def _on_fail(self, fail: Fail) -> None:
        self.has_said_its_end = not self._has_ended
        self._finish(endings.claimed(fail))

    def _is_within_total(self) -> bool:
        if self.bytes_in + self.bytes_out > self._limits.total_bytes:
            self._finish_by_limit("limit", "total_bytes")
            return False
        return True

    # Timers

    def _on_timer(self, timer: Timer) -> None:
        if isinstance(self._timeline, Playback):
            self._playing.timer = timer
            self._play(self._timeline.armed(timer.n))
        else:
            self._ticker.set(timer.n, timer.seconds)

    def _tick(self, number: int) -> None:
        if self._is_heard():
            self._precede("tick", number)
            self._send(Tick(n=number))

    # Calls

    def _on_call(self, message: CallOut) -> None:
        binding = self._granted.get(message.name)
        size = self._bridge.message_bytes
        self.bytes_in += size
        if not self._is_within_total():
            return
        if binding is None or not binding.is_lookup:
            self.calls += 1
            if self.calls > self._limits.calls:
                self._finish_by_limit("call_limit", "calls")
                return
        number = 0 if binding is not None and binding.is_lookup else self.calls
        call = Call(
            number=number, name=message.name, arguments=message.arguments, line=message.line
        )
        if self._timeline is not None:
            self._timeline.on_call(message.id, call)
            if self._is_over():
                return  # whoever heard of it has ended the run
        if isinstance(self._timeline, Playback):
            self._playing.calls[message.id] = (call, size)
            self._play(self._timeline.called(message.id))
        else:
            self._begin(message.id, binding, call, size)

    def _begin(self, call_id: int, binding: Binding | None, call: Call, size: int) -> None:
        """Hand a call to its handler, unless it is refused."""
        if binding is None:
            text = f"no binding has the name {clean(call.name[:200])!r}"
            self._send_fault(call_id, "UNKNOWN_TOOL", text)
        elif size > self._limits.argument_bytes + len(call.name.encode()) + 64:
            self._send_limit(call_id, "argument_bytes")
        elif self._is_behind():
            self._send_limit(call_id, "outstanding")
        else:
            try:
                self._calls.begin(call_id, binding.handler, call)
            except (Exception, SystemExit) as error:  # noqa: BLE001  # as in `_take`
                self._answer_failure(call_id, call.name, error)

    def _is_behind(self) -> bool:
        """Whether more calls wait, or more unread answers lie here, than a guest may have."""
        limits = self._limits
        is_full = self._outbox.size_bytes > limits.result_bytes
        return is_full or len(self._bridge.outstanding) > limits.outstanding

    def _take(self, call_id: int, name: str, answer: Answer) -> None:
        """A call has been answered by whoever has run it."""
        try:
            value = answer.value()
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a handler's own failure is the call's, not the run's
            self._answer_failure(call_id, name, error)
        else:
            self._answer(call_id, name, value)

    def _on_cancel(self, message: Cancel) -> None:
        if isinstance(self._timeline, Playback):
            self._playing.unwanted.add(message.id)
        self._calls.cancel(message.id)

    def _is_heard(self) -> bool:
        """Whether the program still runs: one that hands over its files is told nothing more."""
        return not self._has_ended and self._bridge.state is State.RUNNING

    def _answer(self, call_id: int, name: str, value: Json) -> None:
        if not self._is_heard():
            return
        try:
            packed = pack(value)
        except InvalidValueError as error:
            text = f"the result of {name} is not JSON: {error}"
            self._send_fault(call_id, "INVALID_TOOL_OUTPUT", text)
            return
        if len(packed) > self._limits.result_bytes:
            self._send_limit(call_id, "result_bytes")
            return
        self.bytes_out += len(packed)
        if self._is_within_total():
            self._precede("reply", call_id, value)
            reply = Reply(id=call_id, value=None)
            head = wire.opened({"t": "reply", "id": call_id}, "value")
            self._write(self._bridge.send_encoded(reply, head, packed))

    def _answer_failure(self, call_id: int, name: str, error: Exception | SystemExit) -> None:
        """Tell the program what a handler meant it to hear, and of anything else the type alone."""
        if self._has_ended:
            return
        if isinstance(error, StopRunError):
            self._precede("stop", call_id, error.reason)
            self._finish(Failure(kind="stopped", message=error.reason))
        elif isinstance(error, ToolCallError):
            self._send_fault(call_id, error.code, encodable(error.message))
        else:
            self._send_fault(call_id, "TOOL_ERROR", f"{name} failed: {type(error).__name__}")

    def _send_limit(self, call_id: int, name: str) -> None:
        self._send_fault(call_id, "LIMIT", passed(name, getattr(self._limits, name)))

    def _send_fault(self, call_id: int, code: str, message: str) -> None:
        if not self._is_heard():
            return
        self.bytes_out += len(message)
        if self._is_within_total():
            self._precede("fault", call_id, {"code": code, "message": message})
            self._send(Fault(id=call_id, code=code, message=message))

    # Time and order, where the program's clock is virtual

    def _precede(self, kind: DeliveryKind, number: int, value: Json = None) -> None:
        """Tell the guest the time, and a recording what comes next, just before a delivery."""
        if self._has_virtual_clock and not isinstance(self._timeline, Playback):
            at = time.monotonic() - self._clock_zero
            self._send(Now(at=at))
            if isinstance(self._timeline, Recording):
                delivery = Delivery(kind=kind, number=number, at=at, value=value)
                self._timeline.on_delivery(delivery)

    def _play(self, deliveries: Iterable[Delivery]) -> None:
        """Deliver, from the record, what the program has asked for by now."""
        for delivery in deliveries:
            self._send(Now(at=delivery.at))
            value: Any = delivery.value
            self._playing.forget(delivery)
            if delivery.kind == "reply":
                self._answer(delivery.number, "a recorded call", value)
            elif delivery.kind == "fault":
                self._send_fault(delivery.number, value["code"], value["message"])
            elif delivery.kind == "tick":
                self._tick(delivery.number)
            else:
                self._finish(Failure(kind="stopped", message=value))
            if self._has_ended:
                return
        if isinstance(self._timeline, Resumption) and self._timeline.is_over:
            self._go_live(self._timeline)

    def _go_live(self, timeline: Resumption) -> None:
        """The record ends here: do what the program waits for, and go on like any other run.

        To its clock nothing lies between the two.
        """
        self._timeline = timeline.recording
        self._clock_zero = time.monotonic() - timeline.reached
        left, self._playing = self._playing, Playing()
        for call_id, (call, size) in left.calls.items():
            if self._has_ended:
                return
            self._begin(call_id, self._granted.get(call.name), call, size)
            if call_id in left.unwanted:
                self._calls.decline(call_id)
        if left.timer is not None:
            passed_s = timeline.reached - timeline.armed_at
            self._ticker.set(left.timer.n, max(0.0, left.timer.seconds - passed_s))

    # Writing

    def _send(self, message: HostMessage) -> None:
        self._write(self._bridge.send(message))

    def _write(self, frames: Iterable[bytes]) -> None:
        self._incoming.expect()
        if self._outbox.put(frames):
            self._tasks.start_soon(self._outbox.write_later)
        elif len(self._outbox) > self._most_unread:
            self._finish_by_violation("the guest does not read the answers that it asked for")

    #: The method for each message that a guest may send.
    _handlers: Final[Mapping[type, Any]] = {
        Out: _on_out,
        CallOut: _on_call,
        Cancel: _on_cancel,
        Timer: _on_timer,
        Notice: _on_notice,
        Artifact: _on_artifact,
        End: _on_end,
        Fail: _on_fail,
    }


def _nobody() -> None:
    """The listener of a control whose run is over."""
