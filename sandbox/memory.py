"""The in-memory twin of `LocalSandbox`, for tests of what stands on a backend. It is no sandbox.

It runs no program: it plays the script that its maker wrote for a program's text, in this process,
over the real bridge and under the real driver. So limits, order, failures and cancellation are
those of the default backend, without a process. The isolation that it reports is "none".
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal

import anyio

from codemode.sandbox import naming
from codemode.sandbox.bridge.guest import GuestBridge
from codemode.sandbox.bridge.machine import State
from codemode.sandbox.bridge.messages import (
    Artifact,
    CallOut,
    Cancel,
    End,
    Fail,
    Fault,
    GuestMessage,
    Now,
    Out,
    Reply,
    Run,
    Tick,
)
from codemode.sandbox.control import RunControl
from codemode.sandbox.driver import Driver
from codemode.sandbox.driving import make_run, outcome_of
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.forkserver.guest import Exit
from codemode.sandbox.isolation import IsolationReport
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Binding, OnOutput, Outcome, Program, Stream
from codemode.sandbox.runs import Runs
from codemode.sandbox.values import Json


class Stage:
    """What a script has in its hands: the bindings and the output of its run.

    Attributes:
        run: What the host sent: source, files, seed.
    """

    def __init__(self, theirs: socket.socket) -> None:
        self.run: Run
        self._socket = theirs
        self._bridge = GuestBridge(record=dict)
        self._calls = 0
        self._answers: dict[int, Reply | Fault] = {}
        self._arrived = anyio.Event()
        self._writing = anyio.Lock()

    async def call(self, name: str, /, **arguments: Any) -> Any:
        """Call a binding by its dotted path.

        Raises:
            ToolCallError: As the program would get it.
        """
        self._calls += 1
        call_id = self._calls
        await self._send(CallOut(id=call_id, name=name, line=None, arguments=arguments))
        try:
            while call_id not in self._answers:
                await self._arrived.wait()
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):  # one small frame; the host always reads
                await self._send(Cancel(id=call_id))
            raise
        answer = self._answers.pop(call_id)
        if isinstance(answer, Fault):
            raise ToolCallError(name, answer.message, answer.code)
        return answer.value

    async def print(self, text: str, stream: Stream = "stdout") -> None:
        """Print `text` as it stands."""
        await self._send(Out(stream=stream, text=text))

    async def artifact(self, path: str, data: bytes) -> None:
        """Hand over a file; nothing but the end may follow."""
        await self._send(Artifact(path=path, data=data))

    async def _send(self, message: GuestMessage) -> None:
        frames = self._bridge.send(message)
        async with self._writing:
            for frame in frames:
                rest = memoryview(frame)
                while rest:
                    await anyio.wait_writable(self._socket)
                    rest = rest[self._socket.send(rest) :]

    async def _receive(self) -> None:
        """Take what the host sends, until its end."""
        while True:
            await anyio.wait_readable(self._socket)
            data = self._socket.recv(1 << 20)
            if not data or self._bridge.state >= State.CLOSING:
                return  # a guest that has begun to end reads no more
            self._bridge.receive(data)
            for message in self._bridge.messages():
                if isinstance(message, Run):
                    self.run = message
                    self._bridge.max_frame_bytes = message.limits["frame_bytes"]
                elif not isinstance(message, (Tick, Now)):
                    self._answers[message.id] = message
                self._arrived.set()
                self._arrived = anyio.Event()

    async def play(self, script: Script) -> None:
        """Follow one run to its end."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._receive)
            while not hasattr(self, "run"):
                await self._arrived.wait()
            try:
                value = await script(self)
            except Exception as error:  # noqa: BLE001  # a script stands for a program
                await self._send(_failure(error))
            else:
                await self._send(End(has_value=value is not None, value=value))


#: What stands for a program: gives its result; None is no result.
Script = Callable[[Stage], Awaitable[Json]]


def _failure(error: Exception) -> Fail:
    name = type(error).__name__
    code = f" [{error.code}]" if isinstance(error, ToolCallError) else ""
    message = f"{name}: {error}{code}"
    return Fail(
        kind="exception", message=message, traceback="", line=None, limit=None, exception=name
    )


class ScriptedGuest:
    """Takes the place of a process: a script behind a socket.

    Attributes:
        socket: The host's end of the bridge.
    """

    def __init__(self) -> None:
        self.socket, self._theirs = socket.socketpair()
        self.socket.setblocking(False)
        self._theirs.setblocking(False)
        self._scope = anyio.CancelScope()
        self._cause: Literal["exited", "killed_by_host"] = "exited"

    async def live(self, script: Script) -> None:
        """Play the script, unless the guest is killed."""
        try:
            with self._scope:
                await Stage(self._theirs).play(script)
        finally:
            self._theirs.close()

    def kill(self) -> None:
        """Stop the script where it waits."""
        self._cause = "killed_by_host"
        self._scope.cancel()

    def cpu_s(self) -> float:
        """Nothing is measured."""
        return 0.0

    def peak_memory_bytes(self) -> int:
        """Nothing is measured."""
        return 0

    async def wait(self) -> Exit:
        """How it ended."""
        await anyio.lowlevel.checkpoint()
        return Exit(cause=self._cause, signal=0, status=0, cpu_s=0.0, peak_memory_bytes=0)

    def close(self) -> None:
        """Kill it, and be done with the socket."""
        self.kill()
        self.socket.close()


class MemorySandbox:
    """See the module.

    Args:
        scripts: By the text of the program that each stands for.
    """

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        self._scripts = scripts
        self._runs = Runs()

    @property
    def isolation(self) -> IsolationReport:
        """None at all."""
        return IsolationReport(level="none", missing=("everything: scripts run in this process",))

    async def start(self) -> None:
        """Nothing is to be started."""

    async def run(
        self,
        program: Program,
        bindings: Mapping[str, Binding],
        limits: Limits,
        on_output: OnOutput | None = None,
        control: RunControl | None = None,
    ) -> Outcome:
        """Play the script of `program`.

        Raises:
            KeyError: There is none for its text.
            ValueError: A binding's name.
            RuntimeError: The sandbox was closed.
        """
        with self._runs.going(control) as going:
            granted = naming.check(bindings, program.error_name)
            script = self._scripts[program.source]
            guest = ScriptedGuest()
            driver = Driver(guest, granted, limits, on_output, going)
            try:
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(guest.live, script)
                    try:
                        await driver.run(make_run(program, bindings, limits, policy="none"))
                    finally:
                        guest.kill()
            finally:
                guest.close()
        return outcome_of(driver, guest, self.isolation)

    async def aclose(self) -> None:
        """End running scripts as `abort`; idempotent."""
        await self._runs.aclose()
