"""Calls that a host makes itself, each in a session of its own in the log, where there is one.

An agent loop has sessions of its own and does not come through here. Source: spec PIPELINE 6.15,
11.3.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import anyio.to_thread

from codemode.runtime.cancellation import CancelSignal
from codemode.runtime.code_mode.options import RunOptions
from codemode.runtime.code_mode.run_code import CodeMode
from codemode.runtime.code_mode.sdk import wire_names
from codemode.runtime.deferrals import Deferral, find_deferral
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.doors import output_faults
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import CallRequest, new_call_id
from codemode.runtime.failures import escaped
from codemode.runtime.log import LogError
from codemode.runtime.log.store import holding
from codemode.runtime.owner import Owner
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.registry import Registry
from codemode.runtime.result import Result
from codemode.runtime.resumption import find_record, make_plan, session_of, taking_up
from codemode.runtime.scope import Scope
from codemode.runtime.session import Lingering, Session, open_session
from codemode.runtime.storage import Storage
from codemode.sandbox.backend import SandboxBackend
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import OnOutput, Outcome
from codemode.sandbox.values import Json, thaw

#: Gets the sandbox's own outcome of a program that ran.
OnOutcome = Callable[[Outcome], None]


class HostCalls:
    """Makes the host's own calls; one instance serves one runtime.

    Args:
        can_ask: There is an approval channel, for calls without a log too.
    """

    def __init__(
        self,
        registry: Registry,
        pipeline: Pipeline,
        code_mode: CodeMode,
        sandbox: SandboxBackend,
        storage: Storage,
        *,
        can_ask: bool,
    ) -> None:
        self._registry = registry
        self._pipeline = pipeline
        self._code_mode = code_mode
        self._sandbox = sandbox
        self._storage = storage
        self._can_ask = can_ask
        self._lingering = Lingering()

    async def aclose(self) -> None:
        """End the sessions that wait for bodies which outlived their calls."""
        await self._lingering.aclose()

    async def call(
        self,
        name: str,
        arguments: str | Mapping[str, Any],
        scope: Scope,
        signal: CancelSignal | None,
    ) -> Result:
        """One call as a model makes it; see `ToolRuntime.call`."""
        raw = escaped(arguments) if isinstance(arguments, str) else _as_text(arguments)
        request = CallRequest(
            call_id=new_call_id(), name=escaped(name), arguments=raw, scope=scope, signal=signal
        )
        return await self._make(request, raw)

    async def run_code(
        self,
        code: str,
        description: str | None,
        scope: Scope,
        signal: CancelSignal | None,
        options: RunOptions,
        on_outcome: OnOutcome | None,
    ) -> Result:
        """One program; see `ToolRuntime.run_code`."""
        arguments = {"code": code}
        if description is not None:
            arguments["description"] = description
        raw = _as_text(arguments)
        await self._sandbox.start()
        call_id = new_call_id()
        request = CallRequest(
            call_id=call_id,
            name=RUN_CODE,
            arguments=raw,
            scope=scope,
            signal=signal,
            # Taken up later a resumption would be run from its beginning, and live.
            may_be_deferred=options.resume is None,
        )
        self._code_mode.options[call_id] = options
        try:
            result = await self._make(request, raw)
        finally:
            del self._code_mode.options[call_id]
            outcome = self._code_mode.outcomes.pop(call_id, None)
        if outcome is not None and on_outcome is not None:
            on_outcome(outcome)
        return result

    async def _make(self, request: CallRequest, raw: str) -> Result:
        """One call to its end, and its result in the log.

        Args:
            raw: The arguments as text, as the log has them.

        Raises:
            LogError: The log is unavailable; a note has what the model would have read.
        """
        home = request.scope or self._registry.root
        if self._storage.store is None:
            owner = _unlogged(request.call_id) if self._can_ask else None
            return await self._pipeline.execute(replace(request, owner=owner))
        step: dict[str, Json] = {"mode": home.mode}
        if request.name == RUN_CODE:
            await self._sandbox.start()
            step["isolation"] = self._sandbox.isolation.as_json()
            step["sdk_sha256"] = self._code_mode.sdks.get(home).sha256
        made: list[Result] = []
        try:
            async with open_session(
                self._storage.store,
                self._lingering,
                step,
                redact=self._storage.redact,
                signer=self._storage.signer,
            ) as session:
                await self._call(session, replace(request, owner=session.owner), raw, made)
        except LogError as error:
            for result in made:
                error.add_note(result.text)  # with the ledger of its calls
            raise
        return made[0]

    async def _call(
        self, session: Session, request: CallRequest, raw: str, made: list[Result]
    ) -> None:
        """The call in its session; its result is in `made` whatever is raised afterwards."""
        pending = self._pipeline.begin(request)
        try:
            await session.call(pending, raw)
        except BaseException:
            self._pipeline.abandon(pending)
            raise
        try:
            await self._pipeline.drive(pending)
        finally:
            # A call whose caller was cancelled has a result too.
            if pending.result is not None:
                made.append(pending.result)
                session.result(pending.result)

    async def resume_run(
        self,
        call_id: str,
        session: str | None,
        *,
        answers: Mapping[int, object],
        repeat: frozenset[int],
        scope: Scope,
        signal: CancelSignal | None,
        on_output: OnOutput | None,
        on_outcome: OnOutcome | None,
        judge: Callable[[Limits], None],
    ) -> Result:
        """Go on with an interrupted program; see `ToolRuntime.resume`.

        Args:
            judge: Refuses limits that this runtime cannot give.
        """
        store, journaling = self._storage.store, self._code_mode.journaling
        if store is None or journaling is None or journaling.digests_only:
            raise MisuseError("a run is resumed from its journal: ToolRuntime(journal='full')")
        session = await session_of(store, call_id, session)
        with taking_up(store, session, call_id):
            record = await find_record(
                store, journaling.journal, session, call_id, signer=self._storage.signer
            )
            judge(record.limits)
            plan = make_plan(
                record,
                answers=answers,
                repeat=repeat,
                is_read_only=_reading(scope),
                names=wire_names(self._code_mode.sdks.get(scope), scope.view().unpublished()),
                faults_of=_judging(scope),
                digest_of=journaling.digest_of_answer,
            )
            options = RunOptions(
                files=record.files,
                artifacts=tuple(record.run.artifacts),
                on_output=on_output,
                limits=record.limits,
                resume=plan,
            )
            return await self.run_code(record.source, None, scope, signal, options, on_outcome)

    async def resume(
        self, handle: str, *, scope: Scope | None = None, signal: CancelSignal | None = None
    ) -> Result:
        """Take up a deferral; see `ToolRuntime.resume_deferred`."""
        with self._taking_up(handle):
            kept = None
            if self._storage.store is not None:
                kept = await anyio.to_thread.run_sync(find_deferral, self._storage.store, handle)
            request = self._deferred_request(handle, kept, signal)
            if scope is not None:
                request = replace(request, scope=scope)
            raw = request.arguments
            if not isinstance(raw, str):
                raw = _as_text(thaw(dict(raw)))
            return await self._make(request, raw)

    @contextmanager
    def _taking_up(self, handle: str) -> Generator[None]:
        """Hold the one right to take up a deferral, among all processes that share the log."""
        if self._storage.store is None:
            yield
            return
        busy = MisuseError("that deferral is being taken up already")
        with holding(self._storage.store, f"deferral:{handle}", busy=busy):
            yield

    def _deferred_request(
        self, handle: str, kept: Deferral | None, signal: CancelSignal | None
    ) -> CallRequest:
        call_id = new_call_id()
        try:
            return self._pipeline.take_deferred(handle, call_id=call_id, signal=signal)
        except MisuseError:
            if kept is None:
                raise
        return CallRequest(
            call_id=call_id,
            name=kept.name,
            arguments=kept.arguments,
            signal=signal,
            is_host=True,
            deferred_from=handle,
        )


def _reading(scope: Scope) -> Callable[[str], bool]:
    """Which tools change nothing, as far as the scope knows them."""
    view = scope.view()

    def is_read_only(name: str) -> bool:
        tool = view.get(name)
        return tool is not None and tool.is_read_only

    return is_read_only


def _judging(scope: Scope) -> Callable[[str, Json], str]:
    """Why a tool of the scope cannot have given a value; "" when it can, or is not known."""
    view = scope.view()

    def faults_of(name: str, value: Json) -> str:
        contract = view.contract(name)
        return "" if contract is None else output_faults(contract, value)

    return faults_of


def _unlogged(call_id: str) -> Owner:
    """The owner of a call of a runtime without a log: people can be asked, nothing is kept."""
    return Owner(record=lambda kind, data: None, run_id=call_id)


def _as_text(arguments: Mapping[str, Any]) -> str:
    try:
        return escaped(json.dumps(arguments, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise MisuseError(f"the arguments are not JSON: {error}") from None
