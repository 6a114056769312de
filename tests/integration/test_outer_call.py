"""`run_code` as a call like any other, what a mode changes and what not, and what nobody undoes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from typing_extensions import override

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.approval import MemoryApprovalChannel
from codemode.runtime.audit import verify
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.definition import Output
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import Execution, Mode, RunContext
from codemode.runtime.log import read_events
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.policy import Around, Ask, BodyOutcome, CallNext, Defer, Deny
from codemode.runtime.result import Result
from codemode.sandbox.errors import SandboxUnavailableError
from codemode.sandbox.memory import MemorySandbox

pytestmark = pytest.mark.anyio

DOCS = Path(__file__).parents[2] / "docs"


@tool(effects={"read"})
async def double(x: int) -> int:
    """Double a number."""
    return x * 2


# --- the outer call --------------------------------------------------------------------------


@pytest.mark.spec("CODE_MODE 2.1")
async def test_a_policy_reads_the_program_before_it_runs() -> None:
    read: list[Any] = []

    def no_loops(execution: Execution) -> Deny | None:
        read.append((execution.name, execution.arguments.get("code")))
        return Deny("no loops") if "while" in str(execution.arguments.get("code")) else None

    async with ToolRuntime([double], mode="code", policies=[no_loops]) as runtime:
        refused = await runtime.run_code("while True:\n    tools.double(x=1)")
        fine = await runtime.run_code("tools.double(x=1)")
    assert (refused.code, refused.text) == ("DENIED", "Error: no loops")
    assert not fine.is_error
    assert read == [
        ("run_code", "while True:\n    tools.double(x=1)"),
        ("run_code", "tools.double(x=1)"),
        ("double", None),
    ]


@pytest.mark.spec("CODE_MODE 2.1")
async def test_the_outer_call_passes_every_stage() -> None:
    stages: list[str] = []

    def stage(name: str) -> Any:
        def note(execution: Execution, *_: object) -> None:
            stages.append(f"{name} {execution.name}")

        return note

    async def around(view: Around, call_next: CallNext) -> BodyOutcome:
        stages.append(f"around {view.execution.name}")
        return await call_next()

    async with ToolRuntime(
        [double],
        mode="code",
        policies=[stage("pre")],
        guards=[stage("guard")],
        wrappers=[around],
        post_policies=[stage("post")],
        observers=[stage("observer")],
    ) as runtime:
        await runtime.run_code("tools.double(x=1)")
    nested = [f"{name} double" for name in ("pre", "guard", "around", "post", "observer")]
    assert stages == [
        *(f"{name} run_code" for name in ("pre", "guard", "around")),
        *nested,
        *(f"{name} run_code" for name in ("post", "observer")),
    ]


@pytest.mark.spec("CODE_MODE 2.1")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"code": "1 + 1"}, None),
        ({"code": "1 + 1", "description": "a sum"}, None),
        ({"description": "a sum"}, "INVALID_ARGS"),
        ({"code": 7}, "INVALID_ARGS"),
        ({"code": "1", "limits": {"wall_s": 9_999}}, "INVALID_ARGS"),
        ({"code": "1", "isolation": "unsafe"}, "INVALID_ARGS"),
    ],
)
async def test_a_program_is_required_a_label_is_optional_and_nothing_else_is_taken(
    arguments: dict[str, Any], code: str | None
) -> None:
    async with ToolRuntime([], mode="code") as runtime:
        result = await runtime.execute("run_code", arguments)
    assert result.code == code


@pytest.mark.spec("CODE_MODE 1.3")
@pytest.mark.parametrize("mode", ["native", "code", "both"])
async def test_a_mode_changes_the_entry_point_and_not_the_call(mode: Mode) -> None:
    seen: list[tuple[str, Any, Any]] = []

    def watch(execution: Execution, result: Result) -> None:
        if execution.name == "double":
            seen.append((execution.name, dict(execution.arguments), result.value))

    async with ToolRuntime([double], mode=mode, observers=[watch]) as runtime:
        if mode != "code":
            await runtime.execute("double", {"x": 4})
        if mode != "native":
            await runtime.run_code("tools.double(x=4)")
        assert runtime.registry.root.view()["double"] is double
    assert set(map(repr, seen)) == {repr(("double", {"x": 4}, 8))}
    assert len(seen) == (2 if mode == "both" else 1)


# --- what is logged of a nested call's meta --------------------------------------------------


@pytest.mark.spec("CODE_MODE 4.4")
async def test_the_presentation_meta_of_a_nested_call_is_computed_logged_and_bounded() -> None:
    log = MemoryStore()

    def rows(arguments: Any, value: Any) -> dict[str, Any]:
        return {"chart": "bar", "rows": ["x" * 1_000] * arguments["n"]}

    @tool(effects={"read"}, output=Output(presentation_meta=rows))
    async def chart(n: int) -> int:
        """Draw a chart."""
        return n

    async with ToolRuntime([chart], mode="code", log=log) as runtime:
        result = await runtime.run_code("print(tools.chart(n=1), tools.chart(n=100))")
    assert result.text == "1 100"
    (session,) = log.sessions()
    settled: list[Any] = [
        event.data for event in read_events(log, session) if event.type == "tool/code-dispatch"
    ]
    assert settled[0]["meta"] == {"chart": "bar", "rows": ["x" * 1_000]}
    preview = settled[1]["meta"]["$preview"]
    assert preview["bytes"] > 100_000
    assert len(preview["head"]) < 10_000


# --- what nobody undoes, and what a log proves -----------------------------------------------


@pytest.mark.spec("CODE_MODE 5.4")
async def test_a_failed_program_leaves_its_side_effects_and_the_docs_say_so() -> None:
    stored: list[str] = []

    @tool(effects={"write"})
    async def store(text: str) -> None:
        """Store a text."""
        stored.append(text)

    async with ToolRuntime([store], mode="code") as runtime:
        result = await runtime.run_code("tools.store(text='kept')\n1 / 0")
    assert result.is_error
    assert stored == ["kept"]
    assert "call 1: store (completed)" in result.text
    assert "not rolled back" in (DOCS / "errors.md").read_text()


@pytest.mark.spec("PIPELINE 14.4")
async def test_a_log_of_a_careless_policy_verifies_for_it_proves_the_protocol_only() -> None:
    log = MemoryStore()

    @tool(effects={"write"})
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    def careless(execution: Execution) -> None:
        """Lets everything pass, which no organisation would want."""

    async with ToolRuntime([pay], mode="code", log=log, policies=[careless]) as runtime:
        await runtime.run_code("tools.pay(amount=10**9)")
    assert verify(log).ok
    assert "They do not prove that a policy is right" in (DOCS / "pipeline.md").read_text()


@pytest.mark.spec("PIPELINE 14.6")
async def test_budgets_hold_on_data_and_do_not_confine_the_host_s_own_code(tmp_path: Path) -> None:
    tried: list[str] = []

    def meddling(execution: Execution) -> None:
        (tmp_path / "note").write_text("a policy is host code")
        try:
            frozen: Any = execution.arguments
            frozen["x"] = 1_000
        except TypeError as error:
            tried.append(type(error).__name__)

    async with ToolRuntime([double], mode="code", policies=[meddling]) as runtime:
        result = await runtime.run_code("tools.double(x=2)")
    assert result.text == "4"
    assert set(tried) == {"TypeError"}
    assert (tmp_path / "note").exists()
    assert "## Trust tiers" in (DOCS / "security.md").read_text()


# --- the owner of a run without a log --------------------------------------------------------


@pytest.mark.spec("CODE_MODE 7.1", "PIPELINE 7.5")
async def test_a_runtime_without_a_log_asks_its_channel_all_the_same() -> None:
    channel = MemoryApprovalChannel(lambda request: "allowed", by="desk:ada")
    seen: list[Result] = []
    async with ToolRuntime(
        [double],
        mode="code",
        policies=[lambda execution: Ask("sure?") if execution.name == "double" else None],
        observers=[lambda execution, result: seen.append(result)],
        approval=channel,
    ) as runtime:
        result = await runtime.run_code("print(tools.double(x=3))")
        unowned = await runtime.execute("double", {"x": 3})
    assert result.text == "6"
    assert [(request.tool_name, request.line) for request in channel.asked] == [("double", 1)]
    assert seen[0].decision.approval is not None
    assert seen[0].decision.approval.by == "desk:ada"
    assert unowned.code == "APPROVAL_UNAVAILABLE"


@pytest.mark.spec("PIPELINE 6.15")
async def test_a_deferral_is_taken_up_once_in_a_session_of_its_own() -> None:
    log = MemoryStore()
    waits = True

    def later(execution: Execution) -> Defer | None:
        return Defer("tonight") if waits and execution.name == "double" else None

    async with ToolRuntime([double], mode="code", log=log, policies=[later]) as runtime:
        await runtime.run_code("try:\n    tools.double(x=4)\nexcept ToolCallError:\n    pass")
        (first,) = log.sessions()
        (deferred,) = [e for e in read_events(log, first) if e.type == "tool/deferred"]
        handle = str(deferred.data["handle"])
        taken = await runtime.resume_deferred(handle)
        with pytest.raises(MisuseError, match="no deferral is waiting"):
            await runtime.resume_deferred(handle)
    assert (taken.value, taken.deferred_from) == (8, handle)
    (second,) = set(log.sessions()) - {first}
    (call,) = [e for e in read_events(log, second) if e.type == "tool/call"]
    assert (call.data["name"], call.data["arguments"]) == ("double", '{"x": 4}')
    assert call.data["deferred_from"] == handle
    assert verify(log).ok


@pytest.mark.spec("PIPELINE 6.15", "PIPELINE 6.4")
async def test_what_is_taken_up_meets_policies_and_guards_again() -> None:
    answers: list[Any] = [Defer("tonight"), Defer("again"), Deny("not any more")]
    handles: list[str | None] = []

    def scripted(execution: Execution) -> Any:
        return answers.pop(0) if execution.name == "double" else None

    async with ToolRuntime(
        [double],
        mode="code",
        policies=[scripted],
        observers=[lambda execution, result: handles.append(result.defer_handle)],
    ) as runtime:
        await runtime.execute("double", {"x": 1})
        # A second deferral is no opinion; a denial is heard.
        taken = await runtime.resume_deferred(str(handles[0]))
        assert taken.value == 2
        runtime.registry.root.add("guard", lambda execution: "guarded")
        answers.insert(0, Defer("tonight"))
        await runtime.execute("double", {"x": 1})
        denied = await runtime.resume_deferred(str(handles[-1]))
    assert denied.code == "DENIED"


# --- what the host may not ask for, and what the machine cannot give -------------------------


@pytest.mark.spec("SANDBOX 2.6")
@pytest.mark.parametrize("limit", [{"memory_bytes": 512 << 20}, {"cpu_s": 60}])
async def test_one_run_cannot_have_more_than_its_runtime(limit: dict[str, int]) -> None:
    async with ToolRuntime([], mode="code") as runtime:
        with pytest.raises(MisuseError, match=next(iter(limit))):
            await runtime.run_code("1", limits=Limits(**limit))
        assert not (await runtime.run_code("1", limits=Limits(wall_s=5))).is_error


class NoSandbox(MemorySandbox):
    """A backend whose isolation cannot be had."""

    @override
    async def start(self) -> None:
        raise SandboxUnavailableError("no user namespaces here", missing=("user namespaces",))


@pytest.mark.spec("CODE_MODE 2.4", "CODE_MODE 1.9")
async def test_isolation_that_cannot_be_had_is_a_kind_of_its_own() -> None:
    async with ToolRuntime([double], mode="native", sandbox=NoSandbox({})) as runtime:
        assert (await runtime.execute("double", {"x": 1})).value == 2
        runtime.registry.root.present_as("code")
        result = await runtime.execute("run_code", {"code": "1"})
    assert result.error_info is not None
    assert (result.error_info.code, result.error_info.kind) == (
        "CODE_RUN_FAILED",
        "sandbox_unavailable",
    )
    assert "no user namespaces here" in result.text


# --- a run that is given up ------------------------------------------------------------------


@pytest.mark.spec("CODE_MODE 5.1", "CODE_MODE 6.2", "PIPELINE 8.3")
@pytest.mark.parametrize("by", ["signal", "task"])
async def test_a_run_that_is_given_up_has_an_end_in_the_log_with_its_calls_counted(by: str) -> None:
    log = MemoryStore()
    source = CancelSource()
    scope = anyio.CancelScope()
    results: list[Result] = []

    @tool(effects={"write"})
    async def trigger(run: RunContext) -> None:
        """Give the run up from within."""
        if by == "signal":
            source.cancel("the user pressed stop")
        else:
            scope.cancel()
        await run.signal.wait()

    def keep(execution: Execution, result: Result) -> None:
        if execution.name == "run_code":
            results.append(result)

    async with ToolRuntime([double, trigger], mode="code", log=log, observers=[keep]) as runtime:
        with anyio.fail_after(30), scope:
            await runtime.run_code("tools.double(x=1)\ntools.trigger()", signal=source.signal)
    (session,) = log.sessions()
    kinds = [event.type for event in read_events(log, session)]
    assert kinds[-4:] == ["tool/code-run", "tool/result", "turn/close", "session/close"]
    (ended,) = [e.data for e in read_events(log, session) if e.type == "tool/code-run"]
    usage: Any = ended["usage"]
    assert (ended["kind"], usage["sub_calls"]) == ("abort", {"ok": 1, "aborted": 1})
    (result,) = results
    if by == "signal":
        info = result.error_info
        assert info is not None
        assert (info.code, info.kind) == ("CODE_RUN_FAILED", "abort")
        assert "- completed: double\n- aborted: trigger\n" in result.text
    else:
        assert result.code == "ABORTED"
