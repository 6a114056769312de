"""`run_code`: the one tool that runs a program whose calls are dispatched under its own identity.

Knows the sandbox only as a `SandboxBackend`. Source: spec CODE_MODE 2, 4, 5.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import anyio

from codemode.runtime.code_mode import records
from codemode.runtime.code_mode.bridge import DispatchBridge
from codemode.runtime.code_mode.changes import binding_changes, change_note
from codemode.runtime.code_mode.journaling import Journaling, RunRecorder
from codemode.runtime.code_mode.resuming import ResumedRun, ResumePlan
from codemode.runtime.code_mode.sdk import SdkCache, bindings
from codemode.runtime.code_mode.source import unfence
from codemode.runtime.code_mode.text import failure_text, success_text
from codemode.runtime.definition import RUN_CODE, Arguments, Output, Tool
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import Mode, RunContext
from codemode.runtime.failures import describe_exception
from codemode.runtime.log.errors import LogError
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.typecheck.findings import TypeCheck
from codemode.runtime.typecheck.gate import Gate
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import (
    Binding,
    Failure,
    Files,
    Kind,
    LogEntry,
    OnOutput,
    Outcome,
    Program,
    RunControl,
    SandboxBackend,
)
from codemode.sandbox.values import Json
from codemode.sdkgen import Sdk

_PARAMETERS: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "description": "One Python program"},
        "description": {
            "type": "string",
            "description": "A short label for people: what the program is for",
        },
    },
    "required": ["code"],
    "additionalProperties": False,
}

_VALUE: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "logs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "stream": {"enum": ["stdout", "stderr"]},
                    "text": {"type": "string"},
                },
                "required": ["stream", "text"],
            },
        },
        "result": {},
    },
    "required": ["logs"],
    "additionalProperties": False,
}

_DESCRIPTION: Final = (
    "Run one Python program in a sandbox that can reach nothing but the tools of the SDK. Only what"
    " it prints, and the value of its last expression or top-level return, comes back."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What a host may add to one run; nothing that the model writes can set it.

    Attributes:
        files: Input files on the run's scratch tree.
        artifacts: Globs of scratch files that come back in the outcome.
        on_output: Sees each piece of output while the program runs.
        mode: In force for the call; None is the scope's mode when it runs.
        written_for: The SDK that the model had read when it wrote the program, if that is known.
        resume: The interrupted run that this one goes on from.
    """

    files: Files = field(default_factory=dict[str, bytes])
    artifacts: tuple[str, ...] = ()
    on_output: OnOutput | None = None
    limits: Limits | None = None
    mode: Mode | None = None
    written_for: Sdk | None = None
    resume: ResumePlan | None = None


DEFAULT_OPTIONS: Final = RunOptions()


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
        self.tool = Tool.raw(
            RUN_CODE,
            _DESCRIPTION,
            _PARAMETERS,
            self._execute,
            output=Output(schema=_VALUE, render=_render),
            present_call=_card,
        )
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
        _record(run, "tool/code-run", _run_event(run, outcome, bridge, journal_sha256))

    async def _start(self) -> None:
        try:
            await self._sandbox.start()
        except SandboxUnavailableError as error:
            raise ToolError(
                f"no program can be run here: {error}",
                "CODE_RUN_FAILED",
                kind="sandbox_unavailable",
            ) from error

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
        return _value(outcome)

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
        isolation = self._sandbox.isolation.as_json()
        _record(
            run,
            "tool/code-run-start",
            _start_event(
                run,
                program,
                sdk,
                mode=mode,
                isolation=isolation,
                limits=limits,
                recorder=recorder,
                resumed=resumed,
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


def _start_event(
    run: RunContext,
    program: Program,
    sdk: Sdk,
    *,
    mode: Mode,
    isolation: Json,
    limits: Limits,
    recorder: RunRecorder | None,
    resumed: ResumedRun | None,
) -> dict[str, Json]:
    return {
        "call_id": run.call_id,
        "program": program.source,
        "program_sha256": hashlib.sha256(program.source.encode()).hexdigest(),
        "sdk_sha256": sdk.sha256,
        "mode": mode,
        "isolation": isolation,
        "limits": {**limits.as_json()},
        "seed": program.seed,
        "clock": time.time() if program.clock is None else program.clock,
        "journal_sha256": None if recorder is None else recorder.beginning,
        "resumed_from": None if resumed is None else resumed.origin,
    }


def _run_event(
    run: RunContext, outcome: Outcome, bridge: DispatchBridge, journal_sha256: str | None
) -> dict[str, Json]:
    usage = outcome.usage
    counts = bridge.ledger.counts()
    counts.pop("refused", None)
    return {
        "call_id": run.call_id,
        "outcome": "ok" if outcome.failure is None else "error",
        "kind": None if outcome.failure is None else outcome.failure.kind,
        "usage": {
            "wall_s": round(usage.wall_s, 6),
            "cpu_s": round(usage.cpu_s, 6),
            "peak_memory_bytes": usage.peak_memory_bytes,
            "waiting_s": round(usage.waiting_s, 6),
            "sub_calls": dict(counts),
            "bytes_in": usage.bytes_in,
            "bytes_out": usage.bytes_out,
        },
        "journal_sha256": journal_sha256,
    }


def _value(outcome: Outcome) -> Json:
    value: dict[str, Json] = {
        "logs": [{"stream": entry.stream, "text": entry.text} for entry in outcome.logs]
    }
    if outcome.has_result:
        value["result"] = outcome.result
    return value


def _card(arguments: Arguments) -> dict[str, Json]:
    """The program under its label; its calls are shown as a tree below it."""
    title = arguments.get("description") or "Run a program"
    return {"card": "generic", "title": title, "input": arguments["code"]}


def _render(_: Arguments, value: Json) -> str:
    """What the model reads of a success (CODE_MODE 2.3)."""
    run: Any = value
    logs = [LogEntry(stream=entry["stream"], text=entry["text"]) for entry in run["logs"]]
    return success_text(logs, has_result="result" in run, result=run.get("result"))


def new_call_id() -> str:
    """A fresh id for a call that no model named."""
    return f"call_{secrets.token_hex(8)}"
