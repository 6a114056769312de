"""The agent loop: a model's steps over a runtime's tools, and the owner of their durability.

Each step records what was in force for it; each batch of calls is run and logged in the model's
order; contexts follow the batch as user messages. One loop is one session; its turns come one at a
time. It decides nothing about calls: that is the pipeline's.

Source: spec PIPELINE 9.3 to 9.5, 11.1; CODE_MODE 1.7, 1.8, 2.8.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Self

import anyio

from codemode.runtime.cancellation import CancelSignal, CancelSource, Disposer
from codemode.runtime.code_mode.options import RunOptions
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import CallRequest
from codemode.runtime.failures import type_name
from codemode.runtime.log import EventStore, LogError, open_store
from codemode.runtime.loop.assembly import Assembly, assemble
from codemode.runtime.loop.batch import BatchRunner
from codemode.runtime.loop.conversation import Conversation
from codemode.runtime.loop.jobs import Jobs
from codemode.runtime.loop.live import LiveItem
from codemode.runtime.loop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    UserMessage,
)
from codemode.runtime.loop.model import Model
from codemode.runtime.loop.writer import SessionWriter
from codemode.runtime.owner import Owner
from codemode.runtime.result import Result
from codemode.runtime.scope import Scope
from codemode.sandbox.program import LogEntry
from codemode.sandbox.values import Json

if TYPE_CHECKING:
    from codemode.runtime.facade import ToolRuntime

Ended = Literal["answered", "concluded", "stopped", "cancelled", "max_steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What one turn came to.

    Attributes:
        number: Counts the turns of the session from 1.
        ended: `answered`: the model made no more calls; `concluded`: a call concluded the turn;
            `stopped`: a policy or tool stopped it; `max_steps`: its last calls have run.
        reason: Of a stop or a cancellation.
        steps: How many requests the model answered.
        message: The model's last message; None if it said nothing.
        results: Of every call, in the order of the log.
    """

    number: int
    ended: Ended
    reason: str | None = None
    steps: int = 0
    message: AssistantMessage | None = None
    results: tuple[Result, ...] = ()

    @property
    def text(self) -> str:
        """The text of the last message."""
        return "" if self.message is None else self.message.text


class AgentLoop:
    """One session of a model with a runtime's tools; an asynchronous context manager.

    Args:
        runtime: Entered, and open for as long as the loop is.
        scope: Whose tools and mode apply; None is the global layer.
        instructions: The host's own part of the system message, before the SDK text.
        log: A path or a store; None is the runtime's log, or memory when it has none.
        max_steps: Most requests to the model in one turn.
        max_parallel: Most overlapping bodies of a batch's concurrency-safe calls; 1 is serial.
        parallel_programs: Let programs overlap other calls when everything that they are granted
            is concurrency-safe.
        jobs: Background work of tools: the turn ends only when the session's jobs have.
        meta: The host's own labels of the session.
    """

    def __init__(
        self,
        runtime: ToolRuntime,
        model: Model,
        *,
        scope: Scope | None = None,
        instructions: str = "",
        log: str | Path | EventStore | None = None,
        max_steps: int = 50,
        max_parallel: int = 10,
        parallel_programs: bool = False,
        jobs: Jobs | None = None,
        meta: Mapping[str, Json] | None = None,
    ) -> None:
        if max_steps < 1 or max_parallel < 1:
            raise MisuseError("max_steps and max_parallel are at least 1")
        self._services = runtime.services
        self._model: Final = model
        self._scope: Final = scope or self._services.registry.root
        self._instructions = instructions
        self._log = log
        self._max_steps = max_steps
        self._max_parallel = max_parallel
        self._parallel_programs = parallel_programs
        self._jobs = jobs
        self._meta = meta
        self._conversation = Conversation(self._services.attachments)
        self._writer: SessionWriter | None = None
        self._resources = AsyncExitStack()
        self._is_running = False
        self._is_broken = False

    async def __aenter__(self) -> Self:
        store = self._log if self._log is not None else self._services.store
        async with AsyncExitStack() as resources:
            if store is None or isinstance(store, (str, Path)):
                store = open_store(store or ":memory:")
                resources.callback(store.close)
            services = self._services
            writer = SessionWriter(
                store, redact=services.redact, meta=self._meta, signer=services.signer
            )
            await writer.begin()
            self._writer = writer
            self._resources = resources.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        async with self._resources:
            if self._is_broken:
                self._open().abandon()
            else:
                await self._open().aclose()

    # --- what a host sees ------------------------------------------------------------------------

    @property
    def session(self) -> str:
        """The session's id in the log."""
        return self._open().session

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far, without the system message."""
        return tuple(self._conversation.messages)

    def say(self, message: object, *, source: str = "user") -> None:
        """Add a message at the next step's boundary: of the running turn, or of the next."""
        self._conversation.say(UserMessage.of(message, source=source))

    def stream(self) -> AsyncGenerator[LiveItem]:
        """Everything that happens in the session, from its first event to its end."""
        return self._open().feed.read()

    # --- a turn ----------------------------------------------------------------------------------

    async def run(self, message: object = None, *, signal: CancelSignal | None = None) -> Turn:
        """One turn: from a message to the model's answer.

        Args:
            message: Text, a block, a list of them, or a `UserMessage`; None goes on with what was
                said by `say`.
            signal: Ends the turn early, as `cancelled`: what runs is drained.

        Raises:
            MisuseError: A turn is running, or an earlier one has failed in the middle of a batch.
            LogError: The log is unavailable.
            SandboxUnavailableError: The scope's mode needs a sandbox that cannot be had.
            Exception: Whatever the model's adapter raises; the turn is closed.
        """
        writer = self._open()
        if self._is_running:
            raise MisuseError("a turn of this loop is running; a loop has one at a time")
        if self._is_broken:
            raise MisuseError("an earlier turn broke off in a batch; repair its log, start anew")
        if message is not None:
            self.say(message)
        source = CancelSource()
        self._is_running = True
        dispose = _link(signal, source)
        try:
            writer.open_turn()
            turn = await self._steps(writer, source.signal)
            await writer.close_turn(turn.ended if turn.reason is None else turn.reason)
        except anyio.get_cancelled_exc_class():
            await writer.close_turn("cancelled")
            raise
        except Exception as error:
            if isinstance(error, LogError):
                self._is_broken = True
            if not self._is_broken:
                await writer.close_turn(f"failed: {type_name(error)}")
            raise
        finally:
            self._is_running = False
            dispose()
        return turn

    async def _steps(self, writer: SessionWriter, signal: CancelSignal) -> Turn:
        turn = Turn(number=writer.turn, ended="max_steps")
        for number in range(1, self._max_steps + 1):
            if signal.is_cancelled:
                return replace(turn, ended="cancelled", reason=signal.reason)
            ended = [] if self._jobs is None else self._jobs.take_ended(writer.session)
            self._conversation.deliver(writer, ended)
            step = await assemble(self._services, self._scope, self._instructions)
            writer.open_step(step.as_json())
            message = await self._ask(writer, step, signal)
            if message is None:
                return replace(turn, ended="cancelled", reason=signal.reason)
            self._conversation.answered(writer, message)
            turn = replace(turn, steps=number, message=message)
            if not message.calls:
                if await self._is_waited_for(writer, signal):
                    continue
                return replace(turn, ended="answered")
            results = await self._batch(writer, step, message.calls, signal)
            turn = replace(turn, results=(*turn.results, *results))
            stop = next((r.stops_turn for r in results if r.stops_turn is not None), None)
            if stop is not None:
                return replace(turn, ended="stopped", reason=stop)
            if any(result.concludes_turn for result in results):
                return replace(turn, ended="concluded")
        return turn

    async def _ask(
        self, writer: SessionWriter, step: Assembly, signal: CancelSignal
    ) -> AssistantMessage | None:
        """The model's next message; None when the turn was cancelled meanwhile."""
        system = (SystemMessage(text=step.system),) if step.system else ()
        message = None
        with anyio.CancelScope() as scope:
            dispose = signal.subscribe(scope.cancel)
            try:
                message = await self._model.step(
                    (*system, *self._conversation.messages),
                    step.tools,
                    on_text=lambda text: writer.feed.show("live/text", {"text": text}),
                )
            finally:
                dispose()
        if message is None:
            return None
        return self._conversation.identified(message)

    # --- a batch ---------------------------------------------------------------------------------

    async def _batch(
        self,
        writer: SessionWriter,
        step: Assembly,
        calls: Sequence[ToolCall],
        signal: CancelSignal,
    ) -> tuple[Result, ...]:
        owner = replace(writer.owner, run_id=f"{writer.session}:{writer.turn}")
        runner = BatchRunner(
            self._services.pipeline,
            writer,
            f"batch_{writer.step}",
            [self._request(call, step, signal, owner) for call in calls],
            scope=self._scope,
            signal=signal,
            is_safe=self._is_safe,
            max_parallel=self._max_parallel,
        )
        options = self._services.code_mode.options
        keys = [(writer.session, call.call_id) for call in calls]
        for key in keys:
            options[key] = self._run_options(writer, step, key[1])
        try:
            return await runner.run()
        except Exception:
            self._is_broken = True
            raise
        finally:
            for key in keys:
                del options[key]
            if not self._is_broken:
                self._conversation.settled(writer, runner.results)

    def _request(
        self, call: ToolCall, step: Assembly, signal: CancelSignal, owner: Owner
    ) -> CallRequest:
        return CallRequest(
            call_id=call.call_id,
            name=call.name,
            arguments=call.arguments,
            scope=self._scope,
            signal=signal,
            mode=step.mode,
            owner=owner,
        )

    def _run_options(self, writer: SessionWriter, step: Assembly, call_id: str) -> RunOptions:
        def show(entry: LogEntry) -> None:
            writer.feed.show(
                "live/output", {"call_id": call_id, "stream": entry.stream, "text": entry.text}
            )

        return RunOptions(on_output=show, mode=step.mode, written_for=step.sdk)

    def _is_safe(self, request: CallRequest) -> bool:
        view = self._scope.view()
        if view.canonical(request.name) != RUN_CODE:
            return self._services.pipeline.is_concurrency_safe(request)
        return self._parallel_programs and all(
            tool.is_concurrency_safe is True for tool in view.bindings()
        )

    # --- the boundary ----------------------------------------------------------------------------

    async def _is_waited_for(self, writer: SessionWriter, signal: CancelSignal) -> bool:
        """Whether the model is to answer once more: something was said, or a job has ended."""
        if self._jobs is not None and not self._conversation.is_waiting:
            with anyio.CancelScope() as scope:
                dispose = signal.subscribe(scope.cancel)
                try:
                    await self._jobs.wait(writer.session)
                finally:
                    dispose()
            if self._jobs.has_ended(writer.session):
                return True
        return self._conversation.is_waiting or signal.is_cancelled

    def _open(self) -> SessionWriter:
        if self._writer is None:
            raise MisuseError("enter the loop first: async with runtime.agent(model) as agent: ...")
        return self._writer


def _link(signal: CancelSignal | None, source: CancelSource) -> Disposer:
    """Let the caller's signal fire the turn's."""
    if signal is None:
        return lambda: None
    return signal.subscribe(lambda: source.cancel(signal.reason or "cancelled by the caller"))
