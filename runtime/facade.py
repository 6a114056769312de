"""`ToolRuntime`: what a host embeds.

Puts together the registry, the pipeline, the sandbox and the log, and nothing more: each rule lives
in its own module. Source: spec PIPELINE 11, CODE_MODE 1 and 7.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import anyio

from codemode.runtime.approval import ApprovalChannel
from codemode.runtime.attachments import AttachmentStore, keeper
from codemode.runtime.cancellation import CancelSignal, Disposer
from codemode.runtime.code_mode.options import RunOptions
from codemode.runtime.code_mode.prompts import Prompts, PromptText
from codemode.runtime.code_mode.run_code import CodeMode
from codemode.runtime.code_mode.wire import CATALOG_TOKENS, wire_list
from codemode.runtime.definition import Tool
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import CallRequest, Mode, new_call_id
from codemode.runtime.given import by_number, judge, refuse_above, several, text
from codemode.runtime.host_calls import HostCalls, OnOutcome
from codemode.runtime.log import EventStore, Redactor, Signer
from codemode.runtime.log.journal import JournalMode
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.policy import (
    Guard,
    HookKind,
    IntentSubscriber,
    Observer,
    PostPolicy,
    PrePolicy,
    Wrapper,
)
from codemode.runtime.registry import Registry
from codemode.runtime.result import Result
from codemode.runtime.scope import Scope
from codemode.runtime.services import Services
from codemode.runtime.spill import SpillStore
from codemode.runtime.storage import Storage
from codemode.runtime.typecheck.findings import TypeCheck
from codemode.sandbox.backend import SandboxBackend
from codemode.sandbox.isolation import IsolationReport, Required
from codemode.sandbox.limits import Limits
from codemode.sandbox.local import LocalSandbox
from codemode.sandbox.patience import leave
from codemode.sandbox.program import Files, OnOutput, judge_scratch
from codemode.sdkgen import Sdk, WireDialect

if TYPE_CHECKING:
    from codemode.runtime.loop import AgentLoop, BatchObserver, Model


class ToolRuntime:
    """A transaction boundary around a host's tools; an async context manager.

    Args:
        tools: Registered globally, in order.
        mode: Which entry points the model gets: `native`, `code` (only `run_code`) or `both`.
        log: A path (SQLite, or `.jsonl`), a store of the host's own, or None for no log.
        journal: What the run journal keeps of each logged program: everything (`full`, which a
            replay needs), only digests, or nothing. Under a journal a program's clock is virtual,
            and its chance comes from a seed that the log holds.
        journal_file: Where the journal is; by default beside the log, as LOG.journal.
        journal_retention: Runs that began longer ago are forgotten by the journal; by default it
            keeps them until `codemode audit prune`.
        limits: Of each program.
        policies: Pre-execute policies, in order; see `codemode.runtime.policy`.
        post_policies: Post-execute policies, in order.
        guards: Synchronous denials that nothing can undo.
        wrappers: Around each body, outermost first.
        intents: Subscribers to what tools announce before a side effect.
        observers: See every result.
        approval: Where an `Ask` goes; without one it is a denial.
        redact: Sees what is about to be logged or shown to a person, and may replace it.
        signer: Holds the host's key: each session of the log ends with a checkpoint that it signs.
        max_parallel_sub_calls: Most overlapping bodies of a program's concurrency-safe calls.
        isolation: The least confinement that is accepted for programs.
        typecheck: Check programs against their SDK: `advise` explains failures, `block` refuses a
            program with findings before it runs. Needs the extra `typecheck`.
        spill: Keeps texts whole that are too long for a model; by default files beside the log, or
            memory when there is none.
        attachments: Keeps images by digest, for the log has only references; by default files
            beside the log, or memory when there is none.
        batches: See each batch of an agent loop open and settle.
        sandbox: A backend of the host's own instead of the local one; the caller closes it.

    Raises:
        TypeCheckUnavailableError: `typecheck` is not "off", and the package `ty` is not installed.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        *,
        mode: Mode = "native",
        log: str | Path | EventStore | None = None,
        journal: JournalMode = "off",
        journal_file: str | Path | None = None,
        journal_retention: timedelta | None = None,
        limits: Limits | None = None,
        policies: Iterable[PrePolicy] = (),
        post_policies: Iterable[PostPolicy] = (),
        guards: Iterable[Guard] = (),
        wrappers: Iterable[Wrapper] = (),
        intents: Iterable[IntentSubscriber] = (),
        observers: Iterable[Observer] = (),
        approval: ApprovalChannel | None = None,
        redact: Redactor | None = None,
        signer: Signer | None = None,
        max_parallel_sub_calls: int = 10,
        isolation: Required = "B",
        typecheck: TypeCheck = "off",
        spill: SpillStore | None = None,
        attachments: AttachmentStore | None = None,
        batches: Iterable[BatchObserver] = (),
        sandbox: SandboxBackend | None = None,
    ) -> None:
        judge(
            mode=mode,
            log=log,
            journal=journal,
            journal_retention=journal_retention,
            limits=limits,
            approval=approval,
            redact=redact,
            signer=signer,
            max_parallel_sub_calls=max_parallel_sub_calls,
            isolation=isolation,
            typecheck=typecheck,
            spill=spill,
            attachments=attachments,
            sandbox=sandbox,
        )
        limits = limits or Limits()
        self.registry = Registry(mode=mode)
        self._storage = Storage(
            log,
            journal=journal,
            journal_file=journal_file,
            journal_retention=journal_retention,
            redact=redact,
            signer=signer,
            spill=spill,
            attachments=attachments,
        )
        self._limits = limits
        self._owned: LocalSandbox | None = None
        if sandbox is None:
            sandbox = self._owned = LocalSandbox(isolation=isolation, ceilings=limits)
        self._sandbox = sandbox
        self._pipeline = Pipeline(
            self.registry,
            approval=approval,
            redact=None if redact is None else redact.for_people,
            drain_s=limits.drain_s,
            spill=self._storage.spill,
        )
        self._code_mode = CodeMode(
            self._pipeline,
            self._sandbox,
            limits=limits,
            max_parallel=max_parallel_sub_calls,
            typecheck=typecheck,
        )
        self._prompts = Prompts(self._code_mode.sdks)
        self.registry.mount_transport(self._code_mode.tool)
        self._calls = HostCalls(
            self.registry,
            self._pipeline,
            self._code_mode,
            self._sandbox,
            self._storage,
            can_ask=approval is not None,
        )
        self.registry.root.add("observer", keeper(self.attachments))
        self._resources = AsyncExitStack()
        self._state: Literal["new", "open", "closed"] = "new"
        self._thread = 0
        for tool in several("tools", tools):
            self.registry.register(tool)
        root = self.registry.root
        stages: dict[HookKind, tuple[Any, ...]] = {
            "pre": several("policies", policies),
            "post": several("post_policies", post_policies),
            "guard": several("guards", guards),
            "wrapper": several("wrappers", wrappers),
            "intent": several("intents", intents),
            "observer": several("observers", observers),
            "batch": several("batches", batches),
        }
        for kind, hooks in stages.items():
            for hook in hooks:
                root.add(kind, hook)

    async def __aenter__(self) -> Self:
        if self._state == "open":
            raise MisuseError("the runtime is entered already")
        had_sandbox = self._owned is not None and self.registry.root.mode != "native"
        if self._state == "closed" and had_sandbox:
            raise MisuseError("the runtime was closed with its sandbox; make another one")
        self._state = "closed"  # unless all of what follows succeeds
        async with AsyncExitStack() as resources:
            self._code_mode.journaling = self._storage.open(resources)
            resources.push_async_callback(self._calls.aclose)
            if self._owned is not None:
                resources.push_async_callback(self._owned.aclose)
                house = await anyio.create_task_group().__aenter__()
                resources.push_async_callback(leave, house)
                house.start_soon(self._owned.keep_house)
            if self.registry.root.mode != "native":
                await self._sandbox.start()
            resources.push_async_callback(self._code_mode.gate.aclose)
            await resources.enter_async_context(self._pipeline)
            self._resources = resources.pop_all()
        self._state = "open"
        self._thread = threading.get_ident()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._state = "closed"
        await self._resources.__aexit__(kind, error, traceback)
        self._storage.store = None

    # --- what the model gets ---------------------------------------------------------------------

    def scope(self, name: str, *, parent: Scope | None = None) -> Scope:
        """A new scope below `parent`, or below the global layer."""
        judge(parent=parent)
        text("a scope's name", name)
        return self.registry.scope(name, parent)

    def wire_tools(
        self, scope: Scope | None = None, *, dialect: WireDialect = "openai-chat"
    ) -> list[dict[str, Any]]:
        """The tools that the model may call directly, in a vendor's form."""
        judge(dialect=dialect)
        return wire_list(self._home(scope), self._code_mode.tool, dialect)

    def prompt(
        self, scope: Scope | None = None, *, catalog_tokens: int | None = CATALOG_TOKENS
    ) -> str:
        """The SDK's rules and catalog for the system prompt; "" in native mode."""
        return self._prompts.text(self._home(scope), catalog_tokens=catalog_tokens)

    def present_sdk(self, text: PromptText, *, scope: Scope | None = None) -> Disposer:
        """Let the host write the SDK text of a scope and its descendants; disposing restores.

        Args:
            text: Gets the SDK and the mode; what it returns is final, and its digest is logged.

        Raises:
            ScopeError: The scope has a text of its own already.
        """
        return self._prompts.replace(self._home(scope), text)

    def sdk(self, scope: Scope | None = None) -> Sdk:
        """The SDK of a scope's programs: catalog, stubs, search."""
        return self._code_mode.sdks.get(self._home(scope))

    @property
    def attachments(self) -> AttachmentStore:
        """Where images are kept, by digest."""
        return self._storage.attachments

    @property
    def isolation(self) -> IsolationReport:
        """The confinement of programs; proven once the sandbox has started."""
        return self._sandbox.isolation

    @property
    def services(self) -> Services:
        """The parts that an agent loop is built on.

        Raises:
            MisuseError: The runtime was not entered.
        """
        self._require_open()
        return Services(
            registry=self.registry,
            pipeline=self._pipeline,
            code_mode=self._code_mode,
            prompts=self._prompts,
            sandbox=self._sandbox,
            store=self._storage.store,
            redact=self._storage.redact,
            signer=self._storage.signer,
            attachments=self.attachments,
        )

    def agent(self, model: Model, **options: Any) -> AgentLoop:
        """An agent loop on this runtime; see `AgentLoop` for the options."""
        from codemode.runtime.loop.agent import AgentLoop

        return AgentLoop(self, model, **options)

    # --- calls -----------------------------------------------------------------------------------

    async def execute(
        self,
        name: str,
        arguments: str | Mapping[str, Any],
        *,
        scope: Scope | None = None,
        signal: CancelSignal | None = None,
    ) -> Result:
        """One call through the bare pipeline, for in-process callers: no session events, no asking.

        Returns:
            The frozen result; a failure of the call is a result too.

        Raises:
            MisuseError: The name is no text.
        """
        self._require_open()
        text("the name of a tool", name)
        return await self._pipeline.execute(
            CallRequest(
                call_id=new_call_id(),
                name=name,
                arguments=arguments,
                scope=self._home(scope),
                signal=signal,
                is_host=True,
            )
        )

    async def call(
        self,
        name: str,
        arguments: str | Mapping[str, Any],
        *,
        scope: Scope | None = None,
        signal: CancelSignal | None = None,
    ) -> Result:
        """One call as a model makes it, `run_code` included, in a session of its own in the log.

        What the scope's mode does not let a model call is refused, and people are asked where a
        policy says so.

        Args:
            arguments: The JSON text as a model sends it, or the object.

        Returns:
            The frozen result; a failure of the call is a result too.

        Raises:
            LogError: The log is unavailable; a note has what the model would have read.
            MisuseError: The name is no text.
        """
        self._require_open()
        text("the name of a tool", name)
        return await self._calls.call(name, arguments, self._home(scope), signal)

    async def run_code(
        self,
        code: str,
        *,
        description: str | None = None,
        scope: Scope | None = None,
        signal: CancelSignal | None = None,
        files: Files | None = None,
        artifacts: tuple[str, ...] = (),
        on_output: OnOutput | None = None,
        on_outcome: OnOutcome | None = None,
        limits: Limits | None = None,
    ) -> Result:
        """Run one program as a model's `run_code` call, in a session of its own in the log.

        Args:
            code: The program, as a model sends it.
            description: A short label for people.
            files: Input files for the program's scratch tree.
            artifacts: Globs of scratch files to read back; see `on_outcome`.
            on_output: Sees each piece of output while the program runs.
            on_outcome: Gets the sandbox's own outcome, with artifacts, when the program ends.
            limits: Of this run; its memory and processor time at most those of the runtime.

        Raises:
            MisuseError: The scope is native: it has no `run_code`; or a limit is too high, or an
                argument is of another kind.
        """
        self._require_open()
        text("the program", code)
        if description is not None:
            text("the description", description)
        try:
            judge_scratch(files or {}, artifacts)
        except TypeError as error:
            raise MisuseError(str(error)) from None
        home = self._home(scope)
        if home.mode == "native":
            raise MisuseError(
                f"the scope {home.name!r} is native and has no run_code: use mode='code' or 'both'"
            )
        if limits is not None:
            self._refuse_limits(limits)
        options = RunOptions(
            files=files or {}, artifacts=artifacts, on_output=on_output, limits=limits
        )
        return await self._calls.run_code(code, description, home, signal, options, on_outcome)

    async def resume(
        self,
        call_id: str,
        *,
        session: str | None = None,
        answers: Mapping[int, object] | None = None,
        repeat: Iterable[int] = (),
        scope: Scope | None = None,
        signal: CancelSignal | None = None,
        on_output: OnOutput | None = None,
        on_outcome: OnOutcome | None = None,
    ) -> Result:
        """Go on with a program that was interrupted, once, in a session of its own in the log.

        It runs again from its beginning, with the answers that the journal has of its calls, up to
        where it stopped, and then live. Its clock goes on from there. Policies see the calls that
        are live, and `run_code` itself.

        Args:
            call_id: Of the `run_code` call.
            session: Needed only where several sessions have a run of that id.
            answers: What calls of unknown outcome came to, by number, as the host has found out.
            repeat: Numbers of calls of unknown outcome that may be made again.
            scope: Whose view applies; what the program may call must be what it was.
            on_output: Sees the output from the beginning.
            on_outcome: See `run_code`.

        Raises:
            ResumeRefusedError: It came to its end, or its record cannot be used; or calls that may
                have changed something have no answer in it, which the error then names.
            MisuseError: The runtime has no full journal; or an answer is for no such call.
            LogError: The log is unavailable.
        """
        self._require_open()
        home = self._home(scope)
        text("the call's id", call_id)
        return await self._calls.resume_run(
            call_id,
            session,
            answers=by_number("answers", answers),
            repeat=frozenset(several("repeat", repeat)),
            scope=home,
            signal=signal,
            on_output=on_output,
            on_outcome=on_outcome,
            judge=self._refuse_limits,
        )

    def _refuse_limits(self, limits: Limits) -> None:
        """Of a run; a sandbox of the host's own knows its limits itself."""
        if self._owned is not None:
            refuse_above(limits, self._limits)

    async def resume_deferred(
        self, handle: str, *, scope: Scope | None = None, signal: CancelSignal | None = None
    ) -> Result:
        """Take up a deferral, once, as a new call in a session of its own in the log.

        Policies, approval and guards see it again; only a second deferral is not heard. With a log,
        a deferral of an earlier process can be taken up too: the log is then read to its end.

        Args:
            scope: Whose view applies; by default that of the deferred call, or the global layer
                when an earlier process deferred it.

        Raises:
            MisuseError: The handle is unknown or was taken up already, or the log has its arguments
                only redacted or as a preview.
            LogError: The log is unavailable.
        """
        self._require_open()
        return await self._calls.resume(handle, scope=scope, signal=signal)

    def _home(self, scope: Scope | None) -> Scope:
        judge(scope=scope)
        return scope or self.registry.root

    def _require_open(self) -> None:
        if self._state == "closed":
            raise MisuseError("the runtime is closed; make and enter another one")
        if self._state == "new":
            raise MisuseError(
                "enter the runtime first: async with ToolRuntime(...) as runtime: ..."
            )
        if self._thread != threading.get_ident():
            raise MisuseError(
                "the runtime belongs to the event loop of another thread; call it there, as with"
                " anyio.from_thread.run(runtime.run_code, program)"
            )
