"""One call through the stages: what each layer may do, and what it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import anyio
import pytest
from pipeline_harness import Harness, answering, noting
from typing_extensions import override

from codemode.runtime.content import Text
from codemode.runtime.definition import Output
from codemode.runtime.errors import MisuseError, TokenError, ToolError
from codemode.runtime.execution import CallRequest, Execution, RunContext, Token
from codemode.runtime.policy import Accept, Allow, Ask, Block, BodyOutcome, Defer, Deny, Stop
from codemode.runtime.result import Result

pytestmark = pytest.mark.anyio


async def echo(arguments: Any, run: RunContext) -> Any:
    return dict(arguments)


# --- pre-execute -------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.1", "PIPELINE 6.22")
async def test_without_policies_a_call_is_allowed_by_default(harness: Harness) -> None:
    harness.add("echo", echo)
    async with harness.open():
        result = await harness.call("echo", '{"a": 1}')
    assert result.value == {"a": 1}
    assert result.text == '{"a":1}'
    assert (result.decision.outcome, result.decision.layer) == ("allow", "default")


@pytest.mark.spec("PIPELINE 6.2", "PIPELINE 14.1")
async def test_a_denial_skips_body_and_wrappers_and_reaches_post_execute(harness: Harness) -> None:
    ran: list[str] = []

    async def body(arguments: Any, run: RunContext) -> None:
        ran.append("body")

    async def wrapper(around: Any, call_next: Any) -> BodyOutcome:
        ran.append("wrapper")
        outcome: BodyOutcome = await call_next()
        return outcome

    def post(execution: Execution, outcome: BodyOutcome) -> None:
        ran.append(f"post {outcome.message}")

    harness.add("tool", body)
    root = harness.registry.root
    root.add("pre", lambda execution: Deny("not today", rule="calendar"))
    root.add("wrapper", wrapper)
    root.add("post", post)
    async with harness.open():
        result = await harness.call("tool")
    assert ran == ["post not today"]
    assert result.text == "Error: not today"
    assert result.error_info is not None
    assert (result.error_info.code, result.error_info.layer) == ("DENIED", "pre")
    assert not result.error_info.body_started
    assert result.decision.outcome == "deny"
    assert result.decision.rule == "calendar"


@pytest.mark.spec("PIPELINE 6.1")
async def test_a_stop_denies_the_call_and_stops_the_turn(harness: Harness) -> None:
    harness.add("tool", echo)
    harness.registry.root.add("pre", lambda execution: Stop("enough"))
    async with harness.open():
        result = await harness.call("tool")
    assert result.is_error
    assert result.stops_turn == "enough"
    assert not result.concludes_turn


@pytest.mark.spec("PIPELINE 9.4")
async def test_no_later_policy_can_clear_a_stop(harness: Harness) -> None:
    async def stopping(arguments: Any, run: RunContext) -> None:
        run.stop_turn("the body says so")

    harness.add("tool", stopping)
    harness.registry.root.add("post", lambda execution, outcome: Block("blocked"))
    async with harness.open():
        result = await harness.call("tool")
    assert result.stops_turn == "the body says so"


@pytest.mark.spec("PIPELINE 6.17")
@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([Allow(), Deny("d")], "DENIED"),
        ([Deny("d"), Allow()], "DENIED"),
        ([Defer("later"), Deny("d")], "DENIED"),
        ([Defer("later"), Ask("sure?")], "DEFERRED"),
        ([Ask("sure?"), Deny("d")], "DENIED"),
        ([Deny("d"), Stop("s")], "STOPPED"),
        ([Stop("s"), Deny("d")], "STOPPED"),
        ([Ask("sure?"), Allow()], "APPROVAL_UNAVAILABLE"),
        ([Deny("d"), Allow(is_grant=True)], "DENIED"),
    ],
)
async def test_the_strictest_answer_of_the_chain_wins(
    harness: Harness, answers: list[Any], code: str
) -> None:
    harness.add("tool", echo)
    for answer in answers:
        harness.registry.root.add("pre", answering(answer))
    async with harness.open():
        result = await harness.call("tool")
    assert result.code == code


@pytest.mark.spec("PIPELINE 6.17", "PIPELINE 6.22")
async def test_a_declared_grant_answers_an_ask_and_is_named(harness: Harness) -> None:
    harness.add("tool", echo)
    harness.registry.root.add("pre", lambda execution: Ask("sure?"))
    harness.registry.root.add("pre", lambda execution: Allow(rule="granted", is_grant=True))
    async with harness.open():
        result = await harness.call("tool")
    assert not result.is_error
    assert result.decision.rule == "granted"


@pytest.mark.spec("PIPELINE 6.3")
@pytest.mark.parametrize("kind", ["pre", "guard"])
async def test_a_throw_before_the_body_is_final_and_still_finalised_and_observed(
    harness: Harness, kind: Any
) -> None:
    seen: list[str] = []

    def boom(*_: object) -> None:
        raise RuntimeError("hook broke")

    def finalise(arguments: Any, outcome: BodyOutcome) -> None:
        seen.append("finalizer")

    harness.add("tool", echo, finalize_content=finalise)
    harness.registry.root.add(kind, boom)
    harness.registry.root.add("post", lambda execution, outcome: seen.append("post"))
    harness.registry.root.add("observer", lambda execution, result: seen.append("observer"))
    async with harness.open():
        result = await harness.call("tool")
    assert seen == ["finalizer", "observer"]
    assert result.code == "PIPELINE_FAILURE"
    assert "hook broke" in result.text


@pytest.mark.spec("PIPELINE 6.1")
async def test_an_answer_outside_the_vocabulary_fails_closed(harness: Harness) -> None:
    harness.add("tool", echo)
    harness.registry.root.add("pre", answering(True))
    async with harness.open():
        result = await harness.call("tool")
    assert result.code == "PIPELINE_FAILURE"


# --- guards ------------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.4", "PIPELINE 4.8")
async def test_guards_run_from_the_root_to_the_nearest_and_the_first_reason_wins(
    harness: Harness,
) -> None:
    order: list[str] = []

    def passing(name: str) -> Callable[..., Any]:
        return lambda *_: order.append(name)

    def denying(execution: Execution) -> str:
        order.append("near")
        return "no"

    harness.add("tool", echo)
    outer = harness.registry.scope("outer")
    inner = harness.registry.scope("inner", outer)
    inner.add("guard", denying)
    outer.add("guard", passing("outer"))
    harness.registry.root.add("guard", passing("root"))
    inner.add("guard", passing("never"))
    async with harness.open():
        result = await harness.call("tool", scope=inner)
        elsewhere = await harness.call("tool", scope=outer)
    assert order == ["root", "outer", "near", "root", "outer"]
    assert result.text == "Error: no"
    assert result.decision.layer == "guard"
    assert result.decision.rule == "denying"
    assert not elsewhere.is_error


@pytest.mark.spec("PIPELINE 6.4")
async def test_an_asynchronous_guard_is_a_fault_not_a_pass(harness: Harness) -> None:
    async def guard(execution: Execution) -> None:
        return None

    harness.add("tool", echo)
    harness.registry.root.add("guard", guard)  # type: ignore[call-overload]  # asynchronous
    async with harness.open():
        result = await harness.call("tool")
    assert result.code == "PIPELINE_FAILURE"


# --- frozen views --------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 5.3", "PIPELINE 14.2")
async def test_a_policy_can_change_neither_the_execution_nor_its_arguments(
    harness: Harness,
) -> None:
    faults: list[type[BaseException]] = []
    seen: list[tuple[Token, Any]] = []

    def meddling(execution: Execution) -> None:
        arguments: Any = execution.arguments
        for change in (
            lambda: setattr(execution, "name", "other"),
            lambda: arguments.__setitem__("a", 2),
            lambda: arguments["list"].append(1),
        ):
            try:
                change()
            except (FrozenInstanceError, TypeError) as error:
                faults.append(type(error))
        seen.append((execution.token, execution.arguments))

    async def body(arguments: Any, run: RunContext) -> Any:
        seen.append((run.token, arguments))
        return dict(arguments)

    harness.add("tool", body)
    harness.registry.root.add("pre", meddling)
    harness.registry.root.add("guard", meddling)
    async with harness.open():
        result = await harness.call("tool", '{"a": 1, "list": []}')
    assert len(faults) == 6
    assert result.value == {"a": 1, "list": []}
    assert all(token is seen[0][0] and arguments is seen[0][1] for token, arguments in seen)


# --- around --------------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.5")
async def test_a_wrapper_may_skip_the_body_and_its_value_goes_through_the_doors(
    harness: Harness,
) -> None:
    async def cached(around: Any, call_next: Any) -> BodyOutcome:
        outcome: BodyOutcome = around.success({"cached": True})
        return outcome

    async def body(arguments: Any, run: RunContext) -> None:
        raise AssertionError("the body must not run")

    harness.add("tool", body, output=Output(schema={"type": "object", "required": ["cached"]}))
    harness.registry.root.add("wrapper", cached)
    async with harness.open():
        result = await harness.call("tool")
    assert result.value == {"cached": True}
    assert result.text == '{"cached":true}'


@pytest.mark.spec("PIPELINE 6.8")
async def test_a_cached_result_of_another_tool_is_validated_again(harness: Harness) -> None:
    kept: list[BodyOutcome] = []

    async def keep(around: Any, call_next: Any) -> BodyOutcome:
        if kept:
            return kept[0]
        kept.append(await call_next())
        return kept[0]

    harness.add("one", echo, output=Output(render=lambda arguments, value: "one's rendering"))
    harness.add("two", echo, output=Output(schema={"type": "object", "required": ["b"]}))
    harness.registry.root.add("wrapper", keep)
    async with harness.open():
        first = await harness.call("one", {"a": 1})
        second = await harness.call("two", {"b": 1})
    assert first.text == "one's rendering"
    assert second.code == "INVALID_TOOL_OUTPUT"


@pytest.mark.spec("PIPELINE 6.8")
async def test_a_forged_copy_of_an_outcome_is_rendered_again(harness: Harness) -> None:
    async def forge(around: Any, call_next: Any) -> BodyOutcome:
        outcome = await call_next()
        return BodyOutcome(value=outcome.value, content=(Text("forged"),))

    harness.add("tool", echo)
    harness.registry.root.add("wrapper", forge)
    async with harness.open():
        result = await harness.call("tool", {"a": 1})
    assert result.text == '{"a":1}'


@pytest.mark.spec("PIPELINE 6.5")
async def test_a_wrapper_can_set_its_signal_and_nothing_else(harness: Harness) -> None:
    faults: list[str] = []

    async def meddling(around: Any, call_next: Any) -> BodyOutcome:
        for name in ("execution", "arguments", "value"):
            try:
                setattr(around, name, None)
            except AttributeError:
                faults.append(name)
        outcome: BodyOutcome = await call_next()
        return outcome

    harness.add("tool", echo)
    harness.registry.root.add("wrapper", meddling)
    async with harness.open():
        assert not (await harness.call("tool")).is_error
    assert faults == ["execution", "arguments", "value"]


@pytest.mark.spec("PIPELINE 6.6")
async def test_a_wrapper_sees_a_body_failure_as_an_outcome(harness: Harness) -> None:
    seen: list[str] = []

    async def failing(arguments: Any, run: RunContext) -> None:
        raise ToolError("no such row", "ROW_MISSING")

    async def watch(around: Any, call_next: Any) -> BodyOutcome:
        outcome: BodyOutcome = await call_next()
        assert outcome.error is not None
        seen.append(outcome.error.code)
        return outcome

    harness.add("tool", failing)
    harness.registry.root.add("wrapper", watch)
    async with harness.open():
        result = await harness.call("tool")
    assert seen == ["ROW_MISSING"]
    assert result.text == "Error: no such row"


@pytest.mark.spec("PIPELINE 6.6")
async def test_a_wrappers_own_throw_is_final_and_skips_post_execute(harness: Harness) -> None:
    posts: list[str] = []

    async def broken(around: Any, call_next: Any) -> BodyOutcome:
        await call_next()
        raise RuntimeError("the wrapper broke")

    harness.add("tool", echo)
    harness.registry.root.add("wrapper", broken)
    harness.registry.root.add("post", lambda execution, outcome: posts.append("post"))
    async with harness.open():
        result = await harness.call("tool")
    assert posts == []
    assert result.error_info is not None
    assert (result.error_info.layer, result.error_info.body_started) == ("around", True)


@pytest.mark.spec("PIPELINE 6.6")
async def test_a_wrapper_that_returns_no_outcome_is_a_final_failure(harness: Harness) -> None:
    async def wrong(around: Any, call_next: Any) -> Any:
        await call_next()
        return {"not": "an outcome"}

    harness.add("tool", echo)
    harness.registry.root.add("wrapper", wrong)
    async with harness.open():
        assert (await harness.call("tool")).code == "PIPELINE_FAILURE"


@pytest.mark.spec("PIPELINE 6.5")
async def test_call_next_cannot_be_called_after_the_wrapper_has_returned(harness: Harness) -> None:
    kept: list[Any] = []

    async def leaking(around: Any, call_next: Any) -> BodyOutcome:
        kept.append(call_next)
        outcome: BodyOutcome = await call_next()
        return outcome

    harness.add("tool", echo)
    harness.registry.root.add("wrapper", leaking)
    async with harness.open():
        await harness.call("tool")
        with pytest.raises(MisuseError):
            await kept[0]()


# --- the doors -----------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.7")
@pytest.mark.parametrize(
    ("value", "output", "says"),
    [
        ({1, 2}, Output(), "not JSON"),
        (float("nan"), Output(), "not JSON"),
        ("text", Output(schema={"type": "integer"}), "schema refuses"),
        (1, Output(render=lambda arguments, value: 1 / 0), "render failed"),
        (1, Output(render=lambda arguments, value: object()), "content must be"),
        (1, Output(render=lambda arguments, value: "\ud800"), "surrogates"),
        (1, Output(presentation_meta=lambda arguments, value: {"x": object()}), "meta is not JSON"),
        (1, Output(presentation_meta=lambda arguments, value: 1 / 0), "presentation failed"),  # type: ignore[arg-type, return-value]
    ],
)
async def test_a_value_that_fails_at_a_door_is_invalid_output(
    harness: Harness, value: Any, output: Output, says: str
) -> None:
    async def body(arguments: Any, run: RunContext) -> Any:
        return value

    harness.add("tool", body, output=output)
    async with harness.open():
        result = await harness.call("tool")
    assert result.code == "INVALID_TOOL_OUTPUT"
    assert says in result.text
    assert result.value is None


@pytest.mark.spec("PIPELINE 1.2", "PIPELINE 1.3")
async def test_value_content_and_meta_stay_apart(harness: Harness) -> None:
    output = Output(
        render=lambda arguments, value: [f"{arguments['q']}: {value}", Text("more")],
        presentation_meta=lambda arguments, value: {"card": "generic"},
    )

    async def body(arguments: Any, run: RunContext) -> int:
        return 7

    harness.add("tool", body, output=output)
    async with harness.open():
        result = await harness.call("tool", {"q": "answer"})
    assert result.value == 7
    assert result.content == (Text("answer: 7"), Text("more"))
    assert result.meta == {"card": "generic"}


# --- post-execute --------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.9", "PIPELINE 6.10", "PIPELINE 6.20")
async def test_replacing_the_content_keeps_the_value_and_is_marked(harness: Harness) -> None:
    harness.add("tool", echo)
    harness.registry.root.add("post", lambda execution, outcome: Accept(content="hidden"))
    async with harness.open():
        result = await harness.call("tool", {"a": 1})
    assert result.text == "hidden"
    assert result.value == {"a": 1}
    assert result.replaced_by == ("post",)
    assert result.body_content_sha256 is not None
    assert result.body_value_sha256 == result.value_sha256


@pytest.mark.spec("PIPELINE 6.9", "PIPELINE 6.20")
async def test_replacing_the_value_validates_and_renders_again(harness: Harness) -> None:
    harness.add("tool", echo, output=Output(schema={"type": "object"}))
    harness.registry.root.add("post", lambda execution, outcome: Accept(value={"b": 2}))
    async with harness.open():
        result = await harness.call("tool", {"a": 1})
    assert result.value == {"b": 2}
    assert result.text == '{"b":2}'
    assert result.body_value_sha256 != result.value_sha256


@pytest.mark.spec("PIPELINE 6.9")
async def test_a_replaced_value_that_the_schema_refuses_fails_the_call(harness: Harness) -> None:
    harness.add("tool", echo, output=Output(schema={"type": "object"}))
    harness.registry.root.add("post", lambda execution, outcome: Accept(value=1))
    async with harness.open():
        assert (await harness.call("tool")).code == "INVALID_TOOL_OUTPUT"


@pytest.mark.spec("PIPELINE 6.9")
async def test_replacing_both_value_and_content_is_an_error(harness: Harness) -> None:
    harness.add("tool", echo)
    harness.registry.root.add("post", lambda execution, outcome: Accept(value={}, content=""))
    async with harness.open():
        result = await harness.call("tool")
    assert result.code == "PIPELINE_FAILURE"
    assert "both value and content" in result.text


@pytest.mark.spec("PIPELINE 6.9")
async def test_replacing_the_value_of_a_failure_is_an_error(harness: Harness) -> None:
    async def failing(arguments: Any, run: RunContext) -> None:
        raise ToolError("no")

    harness.add("tool", failing)
    harness.registry.root.add("post", lambda execution, outcome: Accept(value={}))
    async with harness.open():
        result = await harness.call("tool")
    assert result.code == "PIPELINE_FAILURE"
    assert "value of a failure" in result.text


@pytest.mark.spec("PIPELINE 6.9")
async def test_a_block_makes_a_failure_and_only_its_own_contexts_survive(harness: Harness) -> None:
    from codemode.runtime.contexts import context_message

    async def body(arguments: Any, run: RunContext) -> str:
        run.defer_context("from the body")
        run.conclude_turn()
        return "value"

    harness.add("tool", body)
    own = context_message("from the block", source="policy")
    harness.registry.root.add(
        "post", lambda execution, outcome: Block(feedback="not allowed", contexts=(own,))
    )
    async with harness.open():
        result = await harness.call("tool")
    assert result.text == "Error: not allowed"
    assert (result.code, result.value) == ("DENIED", None)
    assert result.contexts == (own,)
    assert not result.concludes_turn


@pytest.mark.spec("PIPELINE 6.9")
async def test_replacing_the_value_of_a_vanished_tool_is_unknown_tool(harness: Harness) -> None:
    tool = harness.add("keep", echo)
    from dataclasses import replace

    dispose = harness.registry.register(replace(tool, name="gone"))

    def post(execution: Execution, outcome: BodyOutcome) -> Accept:
        return Accept(value={})

    async def vanishing(around: Any, call_next: Any) -> BodyOutcome:
        outcome: BodyOutcome = await call_next()
        dispose()
        return outcome

    harness.registry.root.add("wrapper", vanishing)
    harness.registry.root.add("post", post)
    async with harness.open():
        result = await harness.call("gone")
    assert result.code == "UNKNOWN_TOOL"


@pytest.mark.spec("PIPELINE 6.3")
async def test_a_throw_in_post_execute_is_a_final_failure(harness: Harness) -> None:
    harness.add("tool", echo)

    def boom(*_: object) -> None:
        raise RuntimeError("post broke")

    harness.registry.root.add("post", boom)
    async with harness.open():
        result = await harness.call("tool")
    assert result.error_info is not None
    assert (result.error_info.layer, result.error_info.body_started) == ("post", True)


# --- finalizer and observers ---------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.11")
async def test_the_finalizer_replaces_content_and_touches_nothing_else(harness: Harness) -> None:
    harness.add("tool", echo, finalize_content=lambda arguments, outcome: ["final"])
    async with harness.open():
        result = await harness.call("tool", {"a": 1})
    assert result.text == "final"
    assert result.value == {"a": 1}
    assert result.replaced_by == ("finalizer",)


@pytest.mark.spec("PIPELINE 6.11")
async def test_a_finalizer_cannot_mutate_the_outcome(harness: Harness) -> None:
    def meddling(arguments: Any, outcome: BodyOutcome) -> None:
        outcome.error = None  # type: ignore[misc]

    harness.add("tool", echo, finalize_content=meddling)
    async with harness.open():
        result = await harness.call("tool")
    assert result.error_info is not None
    assert result.error_info.layer == "finalizer"


@pytest.mark.spec("PIPELINE 6.11")
@pytest.mark.parametrize("arguments", ["not json", "{}", '{"fail": true}'])
async def test_the_finalizer_runs_exactly_once_for_every_outcome(
    harness: Harness, arguments: str
) -> None:
    runs: list[bool] = []

    async def body(arguments: Any, run: RunContext) -> str:
        if arguments.get("fail"):
            raise ToolError("asked to")
        return "ok"

    def finalize(arguments: Any, outcome: BodyOutcome) -> None:
        runs.append(outcome.is_error)

    harness.add("tool", body, finalize_content=finalize)
    async with harness.open():
        result = await harness.call("tool", arguments)
    assert runs == [result.is_error]


@pytest.mark.spec("PIPELINE 6.11")
@pytest.mark.parametrize("how", ["throws", "awaitable", "wrong type"])
async def test_a_faulty_finalizer_makes_an_ordinary_failure(harness: Harness, how: str) -> None:
    runs: list[int] = []

    async def later() -> str:
        return "late"

    def finalise(arguments: Any, outcome: BodyOutcome) -> Any:
        runs.append(1)
        if how == "throws":
            raise RuntimeError("broke")
        return later() if how == "awaitable" else object()

    harness.add("tool", echo, finalize_content=finalise)
    async with harness.open():
        result = await harness.call("tool")
    assert runs == [1]
    assert result.error_info is not None
    assert result.error_info.layer == "finalizer"
    assert result.value is None


@pytest.mark.spec("PIPELINE 6.11", "PIPELINE 4.5")
async def test_a_reload_during_the_call_cannot_swap_the_finalizer(harness: Harness) -> None:
    from codemode.runtime.definition import Tool

    def make(text: str) -> Tool:
        return Tool.raw(
            "tool", "", {"type": "object"}, body, finalize_content=lambda arguments, outcome: text
        )

    async def body(arguments: Any, run: RunContext) -> None:
        dispose()
        harness.registry.register(make("new"))

    dispose = harness.registry.register(make("old"))
    async with harness.open():
        first = await harness.call("tool")
        assert first.text == "old"


@pytest.mark.spec("PIPELINE 6.12")
async def test_observers_get_the_very_object_that_the_caller_gets(harness: Harness) -> None:
    seen: list[Result] = []
    harness.add("tool", echo)
    harness.registry.root.add("observer", lambda execution, result: seen.append(result))
    async with harness.open():
        result = await harness.call("tool")
    assert seen[0] is result


@pytest.mark.spec("PIPELINE 6.12", "PIPELINE 14.2")
async def test_an_observer_that_throws_mutates_or_awaits_is_contained(
    harness: Harness, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str] = []

    def throwing(execution: Execution, result: Result) -> None:
        raise RuntimeError("observer broke")

    def mutating(execution: Execution, result: Result) -> None:
        result.value["a"] = 2  # type: ignore[index, call-overload]

    async def awaiting(execution: Execution, result: Result) -> None:
        return None

    harness.add("tool", echo)
    harness.registry.root.add("observer", throwing)
    harness.registry.root.add("observer", mutating)
    harness.registry.root.add("observer", awaiting)  # type: ignore[call-overload]  # asynchronous
    harness.registry.root.add("observer", lambda execution, result: seen.append("reached"))
    async with harness.open():
        result = await harness.call("tool", {"a": 1})
    assert seen == ["reached"]
    assert result.value == {"a": 1}
    assert len(caplog.records) == 3


# --- unknown tools, errors -----------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.13", "PIPELINE 6.18")
async def test_an_unknown_tool_passes_policy_and_post_execute(harness: Harness) -> None:
    seen: list[str] = []
    harness.add("search", echo)
    harness.registry.root.add("pre", lambda execution: seen.append(f"pre {execution.tool}"))
    harness.registry.root.add("guard", lambda execution: seen.append("guard"))
    harness.registry.root.add("post", lambda execution, outcome: seen.append("post"))
    async with harness.open():
        result = await harness.call("serach")
    assert seen == ["pre None", "guard", "post"]
    assert result.code == "UNKNOWN_TOOL"
    assert "did you mean search?" in result.text


@pytest.mark.spec("PIPELINE 1.7")
async def test_an_unadvertised_tool_is_callable_and_never_suggested(harness: Harness) -> None:
    harness.add("legacy_search", echo, advertised=False)
    async with harness.open():
        assert not (await harness.call("legacy_search")).is_error
        assert "legacy" not in (await harness.call("legacy_serach")).text.replace(
            "legacy_serach", ""
        )
    assert harness.registry.root.view().native() == ()


@pytest.mark.spec("PIPELINE 6.13")
async def test_error_text_is_total_for_a_hostile_exception(harness: Harness) -> None:
    class HostileError(Exception):
        @override
        def __str__(self) -> str:
            raise ValueError("no")

    class LoudError(Exception):
        @override
        def __str__(self) -> str:
            return "x" * 100_000 + "\ud800"

    async def body(arguments: Any, run: RunContext) -> None:
        raise HostileError if arguments["how"] == "hostile" else LoudError

    harness.add("tool", body)
    async with harness.open():
        hostile = await harness.call("tool", {"how": "hostile"})
        loud = await harness.call("tool", {"how": "loud"})
    assert hostile.text == "Error: HostileError"
    assert loud.text.startswith("Error: xxx")
    assert len(loud.text) < 10_000
    loud.text.encode()


@pytest.mark.spec("PIPELINE 6.14")
async def test_error_info_says_layer_code_and_whether_the_body_had_started(
    harness: Harness,
) -> None:
    async def failing(arguments: Any, run: RunContext) -> None:
        raise ToolError("bad program", "CODE_RUN_FAILED", kind="syntax")

    harness.add("tool", failing)
    async with harness.open():
        result = await harness.call("tool")
    assert result.error_info is not None
    assert result.error_info.as_json() == {
        "name": "ToolError",
        "code": "CODE_RUN_FAILED",
        "layer": "body",
        "body_started": True,
        "kind": "syntax",
    }


# --- identity ------------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 5.1", "PIPELINE 5.2")
async def test_a_token_that_was_not_issued_or_has_settled_is_refused(harness: Harness) -> None:
    kept: list[Token] = []

    async def body(arguments: Any, run: RunContext) -> Any:
        kept.append(run.token)
        nested = await harness.call("inner", parent=run.token, root_call_id=run.root_call_id)
        return nested.root_call_id

    harness.add("outer", body)
    harness.add("inner", echo)
    async with harness.open():
        outer = await harness.call("outer", call_id="root")
        assert outer.value == "root"
        for forged in (kept[0], Token(), object()):
            with pytest.raises(TokenError):
                await harness.call("inner", parent=forged)
        harness.open()
    async with harness.open():
        with pytest.raises(TokenError):
            await harness.call("inner", parent=kept[0])


@pytest.mark.spec("PIPELINE 5.1")
async def test_a_token_is_fresh_for_each_call_and_cannot_be_copied_or_pickled(
    harness: Harness,
) -> None:
    import copy
    import pickle

    tokens: list[Token] = []

    async def body(arguments: Any, run: RunContext) -> None:
        tokens.append(run.token)

    harness.add("tool", body)
    async with harness.open():
        result = await harness.call("tool")
        await harness.call("tool")
    assert tokens[0] is not tokens[1]
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            duplicate(tokens[0])
    assert "Token" not in repr(result)


@pytest.mark.spec("PIPELINE 6.19")
async def test_misuse_is_raised(harness: Harness) -> None:
    harness.add("tool", echo)
    with pytest.raises(MisuseError, match="not entered"):
        await harness.call("tool")
    async with harness.open() as pipeline:
        foreign = Harness().registry.scope("foreign")
        with pytest.raises(MisuseError, match="another registry"):
            pipeline.begin(CallRequest(call_id="1", name="tool", arguments="{}", scope=foreign))


# --- contexts and conclusion ---------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 9.1")
async def test_contexts_survive_a_throw_and_come_in_order(harness: Harness) -> None:
    from codemode.runtime.contexts import context_message

    async def body(arguments: Any, run: RunContext) -> None:
        run.defer_context("body", meta={"n": 1})
        raise ToolError("failed after")

    async def wrapper(around: Any, call_next: Any) -> BodyOutcome:
        around.defer_context("wrapper", source="w")
        outcome: BodyOutcome = await call_next()
        return outcome

    harness.add("tool", body)
    harness.registry.root.add("wrapper", wrapper)
    harness.registry.root.add(
        "post", lambda execution, outcome: Accept(contexts=(context_message("post", source="p"),))
    )
    async with harness.open():
        result = await harness.call("tool")
    assert result.is_error
    said = [
        (block.text, c.source)
        for c in result.contexts
        for block in c.content
        if isinstance(block, Text)
    ]
    assert said == [("body", "tool"), ("wrapper", "w"), ("post", "p")]
    assert result.contexts[0].meta == {"n": 1}


@pytest.mark.spec("PIPELINE 9.2")
@pytest.mark.parametrize("fail", [False, True])
async def test_only_a_success_concludes_the_turn(harness: Harness, fail: bool) -> None:
    async def body(arguments: Any, run: RunContext) -> None:
        run.conclude_turn()
        if fail:
            raise ToolError("no")

    harness.add("tool", body)
    async with harness.open():
        result = await harness.call("tool")
    assert result.concludes_turn is not fail


# --- deferral ------------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.15", "PIPELINE 6.1")
async def test_a_deferral_is_logged_and_taken_up_once_through_guards_and_body(
    harness: Harness,
) -> None:
    guarded: list[str | None] = []
    harness.add("tool", echo)
    harness.registry.root.add("pre", lambda execution: Defer("at night"))
    harness.registry.root.add("guard", lambda execution: guarded.append(execution.deferred_from))
    async with harness.open() as pipeline:
        first = await harness.call("tool", {"a": 1})
        assert first.code == "DEFERRED"
        handle = first.defer_handle
        assert handle is not None
        assert harness.events[-1][0] == "tool/deferred"
        assert harness.events[-1][1]["handle"] == handle
        assert harness.events[-1][1]["effective_arguments"] == {"a": 1}
        assert guarded == []
        taken = await pipeline.resume_deferred(handle, call_id="later", owner=harness.owner)
        assert taken.value == {"a": 1}
        assert taken.deferred_from == handle
        assert guarded == [handle]
        with pytest.raises(MisuseError):
            await pipeline.resume_deferred(handle, call_id="again")


# --- nesting, scopes, modes ----------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 4.8")
async def test_a_scoped_policy_sees_nested_calls_of_its_scope_only(harness: Harness) -> None:
    seen: list[str] = []

    async def outer(arguments: Any, run: RunContext) -> None:
        await harness.call("inner", parent=run.token, scope=run.execution.scope)

    harness.add("outer", outer)
    harness.add("inner", echo)
    scope = harness.registry.scope("agent")
    scope.add("pre", lambda execution: seen.append(execution.name))
    async with harness.open():
        await harness.call("outer", scope=scope)
        await harness.call("outer")
    assert seen == ["outer", "inner"]


@pytest.mark.spec("CODE_MODE 1.5", "CODE_MODE 1.6")
async def test_in_code_mode_a_direct_call_is_refused_before_any_policy(harness: Harness) -> None:
    seen: list[str] = []

    async def outer(arguments: Any, run: RunContext) -> Any:
        nested = await harness.call("plain", parent=run.token, scope=code)
        return nested.is_error

    harness.add("plain", echo, validate_arguments=lambda arguments: seen.append("validated"))
    harness.add("launch", outer)
    harness.add("only_code", echo, pin="code")
    harness.add("only_native", echo, pin="native")
    code = harness.registry.scope("code")
    code.present_as("code")
    for kind in ("pre", "guard", "post"):
        harness.registry.root.add(kind, noting(kind, seen))
    async with harness.open():
        refused = await harness.call("plain", scope=code)
        assert refused.code == "UNKNOWN_TOOL"
        assert "inside run_code" in refused.text
        assert seen == []
        assert (await harness.call("plain", "not json", scope=code)).code == "INVALID_ARGS"
        assert (await harness.call("only_code")).code == "UNKNOWN_TOOL"
        assert (await harness.call("only_code", mode="both")).code == "UNKNOWN_TOOL"
        host = await harness.call("launch", scope=code, is_host=True)
        assert host.value is False


@pytest.mark.spec("CODE_MODE 1.4", "CODE_MODE 1.8", "CODE_MODE 2.7")
async def test_run_code_is_unknown_in_native_scopes_and_inside_programs(harness: Harness) -> None:
    from codemode.runtime.definition import Tool

    async def transport(arguments: Any, run: RunContext) -> Any:
        nested = await harness.call("run_code", parent=run.token, scope=run.execution.scope)
        return nested.code

    harness.registry.mount_transport(Tool.raw("run_code", "", {"type": "object"}, transport))
    both = harness.registry.scope("both")
    both.present_as("both")
    async with harness.open():
        native = await harness.call("run_code")
        assert native.code == "UNKNOWN_TOOL"
        assert "the mode is native" in native.text
        assert (await harness.call("run_code", scope=both)).value == "UNKNOWN_TOOL"


# --- owned events and intents --------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 15.1")
async def test_a_tool_appends_events_of_its_own_namespace_tied_to_the_call(
    harness: Harness,
) -> None:
    async def body(arguments: Any, run: RunContext) -> None:
        run.emit("fs/observed", {"path": "a"})
        for bad in ("observed", "tool/result", "/x"):
            with pytest.raises(ValueError):
                run.emit(bad, {})
        with pytest.raises(ValueError):
            run.emit("fs/observed", {"path": object()})

    harness.add("tool", body)
    async with harness.open():
        result = await harness.call("tool", call_id="c")
        assert not result.is_error
        await harness.call("tool", owner=None)
    assert harness.events == [
        ("fs/observed", {"call_id": "c", "name": "tool", "data": {"path": "a"}})
    ]


@pytest.mark.spec("PIPELINE 15.2")
async def test_an_intent_can_be_denied_and_its_decision_is_logged(harness: Harness) -> None:
    written: list[str] = []

    async def write(arguments: Any, run: RunContext) -> None:
        await run.intent("fs/write-intent", {"path": arguments["path"]})
        written.append(arguments["path"])

    async def read_first(execution: Execution, kind: str, data: Any) -> str | None:
        return "read it first" if data["path"] == "secret" else None

    harness.add("write", write)
    harness.registry.root.add("intent", read_first)
    async with harness.open():
        allowed = await harness.call("write", {"path": "notes"})
        denied = await harness.call("write", {"path": "secret"})
    assert not allowed.is_error
    assert denied.text == "Error: read it first"
    assert written == ["notes"]
    assert [data["decision"] for _, data in harness.events] == [
        {"outcome": "allow"},
        {"outcome": "deny", "reason": "read it first", "name": "read_first"},
    ]


@pytest.mark.spec("PIPELINE 15.1")
async def test_hooks_that_have_something_to_say_are_logged(harness: Harness) -> None:
    harness.add("tool", echo)
    harness.registry.root.add("pre", lambda execution: None)
    harness.registry.root.add("pre", lambda execution: Deny("no"))
    async with harness.open():
        await harness.call("tool")
    assert harness.kinds() == ["hook/invoked", "hook/result"]
    assert harness.events[1][1]["outcome"] == "deny"


# --- sync handlers -------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 2.8")
async def test_a_sync_handler_runs_in_a_worker_thread(harness: Harness) -> None:
    import threading

    here = threading.get_ident()

    def body(arguments: Any, run: RunContext) -> bool:
        return threading.get_ident() != here

    harness.add("tool", body)
    async with harness.open():
        assert (await harness.call("tool")).value is True


async def test_a_sync_handler_that_returns_an_awaitable_is_awaited(harness: Harness) -> None:
    async def later() -> int:
        await anyio.lowlevel.checkpoint()
        return 5

    def handler(arguments: Any, run: RunContext) -> Any:
        return later()

    harness.add("tool", handler)
    async with harness.open():
        assert (await harness.call("tool")).value == 5


# --- totality ------------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 6.19", "PIPELINE 3.4")
@pytest.mark.parametrize(
    "arguments",
    [
        '{"\\ud800": 1}',
        '{"a": "\\ud800"}',
        "\ud800",
        '{"a": ' + "[" * 7_000,
        {"a": {1: 2}},
        {"\ud800": {1}},
    ],
)
async def test_hostile_arguments_give_a_result_that_can_be_written(
    harness: Harness, arguments: Any
) -> None:
    harness.add("tool", echo)
    async with harness.open():
        result = await harness.call("tool", arguments)
    assert result.code == "INVALID_ARGS"
    repr(result).encode()


@pytest.mark.spec("PIPELINE 3.3")
async def test_five_thousand_levels_pass_through_the_whole_pipeline(harness: Harness) -> None:
    levels = 4_990
    harness.add("tool", echo, output=Output(schema={"type": "object"}))
    async with harness.open():
        result = await harness.call("tool", '{"a": ' + "[" * levels + "]" * levels + "}")
    assert not result.is_error, result.text
    assert len(result.text) == 2 * levels + len('{"a":}')
    assert result.value_bytes == len(result.text)


@pytest.mark.spec("PIPELINE 6.19", "PIPELINE 6.3")
@pytest.mark.parametrize(
    ("kind", "hook"),
    [
        ("pre", lambda execution: Deny(5)),  # type: ignore[arg-type]
        ("post", lambda execution, outcome: Accept(contexts=("text",))),  # type: ignore[arg-type]
        ("post", lambda execution, outcome: Block(feedback="no", contexts=(1,))),  # type: ignore[arg-type]
        ("post", lambda execution, outcome: Accept(content=5)),
    ],
)
async def test_an_answer_of_the_wrong_type_inside_fails_closed(
    harness: Harness, kind: Any, hook: Any
) -> None:
    harness.add("tool", echo)
    harness.registry.root.add(kind, hook)
    async with harness.open():
        assert (await harness.call("tool")).code == "PIPELINE_FAILURE"


@pytest.mark.spec("PIPELINE 6.13")
async def test_a_tool_error_that_is_no_text_is_still_an_error_text(harness: Harness) -> None:
    async def body(arguments: Any, run: RunContext) -> None:
        raise ToolError(404, 5)  # type: ignore[arg-type]

    harness.add("tool", body)
    async with harness.open():
        result = await harness.call("tool")
    assert (result.code, result.text) == ("TOOL_ERROR", "Error: 404")


async def test_the_hooks_of_one_call_have_ids_of_their_own(harness: Harness) -> None:
    harness.add("tool", echo)
    harness.registry.root.add("pre", lambda execution: Deny("no"))
    harness.registry.root.add("post", lambda execution, outcome: Block(feedback="blocked"))
    async with harness.open():
        await harness.call("tool")
    ids = [data["hook_id"] for kind, data in harness.events if kind == "hook/result"]
    assert len(ids) == len(set(map(str, ids))) == 2
