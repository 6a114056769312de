"""Calls of an MCP client that go on while the client is away to ask its user.

In newer versions of the protocol a server sends no requests. The answer to a call may be a
question: the client asks, and makes the same call again with the answer and with the state that
came with the question. The state names the call that waits, once; nothing of it is in there.

Source: Model Context Protocol 2026-07-28, "Multi round-trip requests".
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

import anyio

from codemode.runtime.hosts.asking import FORM
from codemode.runtime.hosts.progress import Progress

if TYPE_CHECKING:
    from anyio.abc import TaskGroup
    from mcp import types

#: How long a call waits for its client to come back with an answer.
PATIENCE_S: Final = 600.0
_KEY: Final = "approval"


class WaitingCall:
    """One call, which outlives the requests of its client that are about it.

    Args:
        name, arguments: What the client asked for, and must ask for again.
        progress: How far it is.
    """

    def __init__(self, name: str, arguments: dict[str, Any] | None, progress: Progress) -> None:
        self.asked_for: Final = (name, arguments)
        self.progress: Final = progress
        self.question: str | None = None
        self._result: types.CallToolResult | None = None
        self._error: Exception | None = None
        self._is_over = False
        self._changed = anyio.Event()
        self._answered = anyio.Event()
        self._answer: types.ElicitResult
        self._turn = anyio.Lock()
        self._scope = anyio.CancelScope()

    async def run(self, work: Callable[[], Awaitable[types.CallToolResult]]) -> None:
        """Come to the result, in a task of its own."""
        try:
            with self._scope:
                self._result = await work()
        except Exception as error:  # noqa: BLE001 - raised again where the client waits
            self._error = error
        finally:
            self._is_over = True
            self._changed.set()

    async def put(self, message: str) -> types.ElicitResult:
        """Let the client ask; one question at a time."""
        async with self._turn:
            self.question, self._answered = message, anyio.Event()
            self._changed.set()
            await self._answered.wait()
            return self._answer

    def answer(self, said: types.ElicitResult) -> None:
        """What the client came back with."""
        self.question, self._answer = None, said
        self._answered.set()

    def cancel(self) -> None:
        """Nobody waits for it any more."""
        self._scope.cancel()

    async def step(self) -> types.CallToolResult | None:
        """Wait for the result, or for a question, for which it gives None.

        Raises:
            Exception: The call's own.
            CancelledError: It was cancelled.
        """
        while not self._is_over and self.question is None:
            self._changed = anyio.Event()
            await self._changed.wait()
        if self._error is not None:
            raise self._error
        return self._result


class RoundTrips:
    """The calls of one server whose clients are away."""

    def __init__(self) -> None:
        self._away: dict[str, WaitingCall] = {}

    def take_up(self, params: types.CallToolRequestParams) -> WaitingCall:
        """The call that the client comes back to, with its answer.

        Raises:
            MCPError: There is no such call, or it was another one.
        """
        from mcp import MCPError, types

        call = self._away.pop(params.request_state or "", None)
        if call is None:
            raise MCPError(types.INVALID_PARAMS, "that call does not wait for an answer any more")
        said = (params.input_responses or {}).get(_KEY)
        if call.asked_for != (params.name, params.arguments):
            call.cancel()
            raise MCPError(types.INVALID_PARAMS, "the state is that of another call")
        if not isinstance(said, types.ElicitResult):
            said = types.ElicitResult(action="cancel")
        call.answer(said)
        return call

    async def follow(
        self, call: WaitingCall, tasks: TaskGroup
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Wait for what the client is told next; it cancels the call if it does not wait."""
        from mcp import types

        try:
            result = await call.step()
        except anyio.get_cancelled_exc_class():
            call.cancel()
            raise
        if result is not None:
            return result
        if call.question is None:  # cancelled from outside
            return types.CallToolResult(
                content=[types.TextContent(type="text", text="Error: the call was cancelled")],
                is_error=True,
            )
        state = secrets.token_urlsafe(16)
        self._away[state] = call
        tasks.start_soon(self._give_up, state)
        return types.InputRequiredResult(
            input_requests={
                _KEY: types.ElicitRequest(
                    params=types.ElicitRequestFormParams(
                        message=call.question, requested_schema=dict(FORM)
                    )
                )
            },
            request_state=state,
        )

    async def _give_up(self, state: str) -> None:
        await anyio.sleep(PATIENCE_S)
        call = self._away.pop(state, None)
        if call is not None:
            call.cancel()
