"""`run_code`: the one tool that runs a program whose calls are dispatched under its own identity.

Knows the sandbox only as a `SandboxBackend`. Source: spec CODE_MODE 2, 4, 5.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio

from codemode.runtime.code_mode import records
from codemode.runtime.code_mode.bridge import DispatchBridge
from codemode.runtime.code_mode.changes import binding_changes, change_note
from codemode.runtime.code_mode.definition import run_code_tool, run_code_value
from codemode.runtime.code_mode.journaling import Journaling, RunRecorder
from codemode.runtime.code_mode.options import DEFAULT_OPTIONS, RunOptions
from codemode.runtime.code_mode.resuming import ResumedRun
from codemode.runtime.code_mode.sdk import SdkCache, bindings
from codemode.runtime.code_mode.source import unfence
from codemode.runtime.code_mode.text import failure_text
from codemode.runtime.definition import Arguments
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.failures import describe_exception
from codemode.runtime.log.errors import LogError
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.typecheck.findings import TypeCheck
from codemode.runtime.typecheck.gate import Gate
from codemode.sandbox.backend import SandboxBackend
from codemode.sandbox.control import RunControl
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import Binding, Failure, Kind, Outcome, Program
from codemode.sandbox.values import Json
from codemode.sdkgen import Sdk


class CodeMode:
    """Runs programs for a runtime: owns the sandbox, the SDK cache and the `run_code` tool.

    Args:
        limits: Of each run, unless its options say otherwise.
        max_parallel: Most overlapping bodies of concurrency-safe sub-calls.
        output_chars: Most characters of printed text that the model reads of a failure.
        max_images: Most images of sub-calls forwarded to the model.
        typecheck: What a check of a program against its SDK does; see `Gate`.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        sandbox: SandboxBackend,
        *,
        limits: Limits,
        max_parallel: int = 10,
        output_chars: int = 20_000,
        max_images: int = 10,
        typecheck: TypeCheck = "off",
    ) -> None:
        self.sdks = SdkCache()
        self.tool = run_code_tool(self._execute)
        self._pipeline = pipeline
        self._sandbox = sandbox
        self._limits = limits
        self._max_parallel = max_parallel
        self._output_chars = output_chars
        self._max_images = max_images
        self.gate = Gate(typecheck)
        #: Until the run ends: by call id for the host's own call, by (session, call id) for a
        #: model's, whose ids are unique in its session only.
        self.options: dict[str | tuple[str, str], RunOptions] = {}
        self.outcomes: dict[str, Outcome] = {}
        #: Of the runs that are in a session; set while a journal is open.
        self.journaling: Journaling | None = None

    async def _execute(self, arguments: Arguments, run: RunContext) -> Json:
        options = self._options_of(run)
        sdk = self.sdks.get(run.execution.scope)
        source = unfence(str(arguments["code"]))
        changed = binding_changes(options.written_for, sdk)
        if changed:
            run.annotate("bindings_changed", changed)
        await self.gate.admit(sdk, source, run)
        await self._start()
        note = change_note(changed) if changed else ""
        outcome, bridge = await self._run(source, sdk, options, run)
        if outcome.failure is not None:
            raise await self._failed(outcome.failure, outcome, bridge, sdk, source, run, note)
        if note:
            run.defer_context(note, source="code_mode")
        return run_code_value(outcome)

    async def _start(self) -> None:
        try:
            await self._sandbox.start()
        except SandboxUnavailableError as error:
            raise ToolError(
                f"no program can be run here: {error}",
                "CODE_RUN_FAILED",
                kind="sandbox_unavailable",
            ) from error

    async def _run(
        self, source: str, sdk: Sdk, options: RunOptions, run: RunContext
    ) -> tuple[Outcome, DispatchBridge]:
        """Run the program between its two events, and forward what its calls left."""
        limits = options.limits or self._limits
        control = RunControl()
        bridge = DispatchBridge(self._pipeline, run, control, max_parallel=self._max_parallel)
        resumed = None
        if options.resume is not None:
            resumed = ResumedRun(options.resume, bridge.ledger, control)
        submit = bridge.submit if resumed is None else resumed.over(bridge.submit)
        granted = bindings(sdk, run.execution.scope.view().unpublished(), submit)
        if resumed is not None:
            resumed.check(source, granted)
        program = Program(source=source, files=options.files, artifacts=options.artifacts)
        recorder = self._recorder(run, program, granted, limits, sdk, control, resumed)
        if recorder is not None:
            program = recorder.program
            bridge.keep = recorder.keep
        mode = options.mode or run.execution.scope.mode
        _record(
            run,
            "tool/code-run-start",
            records.run_start(
                run,
                program,
                sdk,
                mode=mode,
                isolation=self._sandbox.isolation.as_json(),
                limits=limits,
                clock=time.time() if program.clock is None else program.clock,
                journal_sha256=None if recorder is None else recorder.beginning,
                resumed_from=None if resumed is None else resumed.origin,
            ),
        )
        unsubscribe = run.signal.subscribe(lambda: control.abort(run.signal.reason or "cancelled"))
        run.ends_itself()
        try:
            outcome = await self._sandbox.run(program, granted, limits, options.on_output, control)
        except anyio.get_cancelled_exc_class():
            # The guest is dead and its calls have settled; what it used is not known any more.
            outcome = Outcome(
                failure=Failure(kind="abort", message=run.signal.reason or "cancelled"),
                isolation=self._sandbox.isolation,
            )
            self._ended(run, outcome, bridge, recorder)
            raise
        except Exception as error:  # noqa: BLE001 - the host's callbacks and backend are called here
            # Whatever has happened, the log and the model learn what the program's calls did.
            outcome = Outcome(failure=_crash(error), isolation=self._sandbox.isolation)
        finally:
            unsubscribe()
            bridge.end("the program has ended")
        if resumed is not None:
            outcome = resumed.judged(outcome)
            resumed.forward(run, has_succeeded=outcome.failure is None)
        if run.call_id in self.options:
            self.outcomes[run.call_id] = outcome
        fault = bridge.fault
        try:
            self._ended(run, outcome, bridge, recorder)
        except LogError as error:
            fault = fault or f"the session log is unavailable: {error}"
        if fault is not None:
            # The model learns what its calls did all the same, from the ledger.
            outcome = replace(outcome, failure=Failure(kind="crash", message=fault))
        if recorder is not None and recorder.fault is not None:
            raise recorder.fault
        return outcome, bridge

    def _ended(
        self,
        run: RunContext,
        outcome: Outcome,
        bridge: DispatchBridge,
        recorder: RunRecorder | None,
    ) -> None:
        """Forward what the program's calls left for the outer call, and log the end."""
        bridge.forward(has_succeeded=outcome.failure is None, max_images=self._max_images)
        for notice in outcome.notices:
            _record(run, "tool/code-dispatch-refused", records.refused_in_guest(notice, run))
        journal_sha256 = None if recorder is None else recorder.end(outcome)
        _record(run, "tool/code-run", records.run_end(run, outcome, bridge.ledger, journal_sha256))

    def _recorder(
        self,
        run: RunContext,
        program: Program,
        granted: Mapping[str, Binding],
        limits: Limits,
        sdk: Sdk,
        control: RunControl,
        resumed: ResumedRun | None,
    ) -> RunRecorder | None:
        """What journals the run, if runs are journaled and this one is in a session."""
        owner = run.execution.owner
        if self.journaling is None or owner is None or not owner.session:
            if resumed is not None:
                raise ToolError("a run is resumed with a journal only", "CODE_RUN_FAILED")
            return None
        return self.journaling.begin(
            owner.session,
            run.call_id,
            program,
            granted,
            limits,
            sdk_sha256=sdk.sha256,
            control=control,
            resumed=resumed,
        )

    async def _failed(
        self,
        failure: Failure,
        outcome: Outcome,
        bridge: DispatchBridge,
        sdk: Sdk,
        source: str,
        run: RunContext,
        note: str,
    ) -> ToolError:
        """The error of a run that failed: what the model reads, the ledger and advice included."""
        text = failure_text(failure, outcome.logs, bridge.ledger.text(), budget=self._output_chars)
        advice = await self.gate.explain(failure.kind, sdk, source, run)
        text = "\n\n".join(part for part in (text, advice, note) if part)
        return ToolError(text, "CODE_RUN_FAILED", kind=failure.kind)

    def _options_of(self, run: RunContext) -> RunOptions:
        owner = run.execution.owner
        own = None if owner is None else self.options.get((owner.session, run.call_id))
        return own or self.options.get(run.call_id, DEFAULT_OPTIONS)


def _crash(error: Exception) -> Failure:
    """The failure of a run that the sandbox gave no outcome for; a group of one is its one."""
    cause: Any = error
    inner: Any = getattr(error, "exceptions", ())
    while len(inner) == 1:
        (cause,) = inner
        inner = getattr(cause, "exceptions", ())
    kind: Kind = "sandbox_unavailable" if isinstance(cause, SandboxUnavailableError) else "crash"
    notes: list[str] = getattr(cause, "__notes__", [])
    said = ": ".join([*notes, describe_exception(cause)])
    return Failure(kind=kind, message=f"the run broke off: {said}")


def _record(run: RunContext, kind: str, data: dict[str, Json]) -> None:
    owner = run.execution.owner
    if owner is not None:
        owner.record(kind, data)
