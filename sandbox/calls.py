"""The calls of one run that are under way: each is begun, answered once, and can be asked to end.

Knows nothing of frames: what an answer means to the program is the driver's to say. Must never
leave a call that it was given without having begun it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from typing_extensions import override

from codemode.sandbox.answer import Answer, Work
from codemode.sandbox.errors import ToolCallError
from codemode.sandbox.patience import wait_out
from codemode.sandbox.program import Call, Handler
from codemode.sandbox.values import Json


class Awaited(Answer):
    """The answer that an awaitable gives, which is the work itself.

    Args:
        spawn: Starts the task that awaits it.
    """

    __slots__ = ("_awaitable", "_name", "_scope")

    def __init__(self, name: str, awaitable: Awaitable[Json], spawn: Callable[..., object]) -> None:
        super().__init__()
        self.work = Work(self._await, spawn)
        self._name = name
        self._awaitable = awaitable
        self._scope = anyio.CancelScope()

    async def _await(self) -> None:
        with self._scope:
            if self.is_given:
                return  # declined
            try:
                value = await self._awaitable
            except (Exception, SystemExit) as error:  # noqa: BLE001  # a handler's own failure is the call's, not the run's
                self.fail(error)
            except anyio.get_cancelled_exc_class():
                self.fail(ToolCallError(self._name, f"{self._name} was cancelled", "ABORTED"))
                raise
            else:
                self.give(value)

    @override
    def cancel(self) -> None:
        """End the awaitable."""
        self._scope.cancel()

    @override
    def decline(self) -> None:
        """Nothing of the awaitable has run, and nothing will."""
        close: Any = getattr(self._awaitable, "close", None)
        if close is not None:
            close()
        self.fail(ToolCallError(self._name, f"{self._name} was cancelled", "ABORTED"))


class Calls:
    """See the module.

    Args:
        spawn: Starts the tasks of handlers that give an awaitable.
        answered: Told of each answer, by the call's id and name.
    """

    def __init__(
        self, spawn: Callable[..., object], answered: Callable[[int, str, Answer], None]
    ) -> None:
        self._spawn = spawn
        self._answered = answered
        self._running: dict[int, Answer] = {}
        self._lone: Work | None = None
        self._settled: anyio.Event | None = None

    def begin(self, call_id: int, handler: Handler, call: Call) -> None:
        """Hand a call to its handler. Its work is the lone one until another call comes.

        Raises:
            Exception: The handler's own; nothing runs then.
        """
        awaitable = handler(call)
        if isinstance(awaitable, Answer):
            answer = awaitable
        else:
            answer = Awaited(call.name, awaitable, self._spawn)
        self._running[call_id] = answer
        answer.then(lambda: self._settle(call_id, call.name, answer))
        self.start_lone()
        self._lone = answer.take_work()

    def _settle(self, call_id: int, name: str, answer: Answer) -> None:
        try:
            self._answered(call_id, name, answer)
        finally:
            del self._running[call_id]
            if self._settled is not None and not self._running:
                self._settled.set()

    def take_lone(self) -> Work | None:
        """The work of the call that came last, for the caller to run, if nobody has begun it."""
        work, self._lone = self._lone, None
        return work

    def start_lone(self) -> None:
        """Run it in a task of its own: the call does not stand alone, or is not to wait."""
        if (work := self.take_lone()) is not None:
            work.start()

    def cancel(self, call_id: int) -> None:
        """Nobody wants the answer any more; does nothing when it was given."""
        if (answer := self._running.get(call_id)) is not None:
            answer.cancel()

    def decline(self, call_id: int) -> None:
        """Nobody wants the answer of a call that was begun just now: nothing of it is to run."""
        if (answer := self._running.get(call_id)) is not None:
            answer.decline()

    async def drain(self, longest_s: float | None) -> None:
        """Ask what still runs to end, and wait for it: not longer than that, if it can be left."""
        if not self._running:
            return
        self._settled = anyio.Event()
        for answer in tuple(self._running.values()):
            answer.cancel()
        await wait_out(self._settled.wait, at_most_s=longest_s)
