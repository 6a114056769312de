"""Registration: what is refused, what rolls back, and what a scope sees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from codemode.runtime.definition import Output, Tool
from codemode.runtime.errors import DefinitionError, ScopeError
from codemode.runtime.registry import Registry
from codemode.runtime.scope import Scope


def raw(name: str, **options: Any) -> Tool:
    return Tool.raw(name, f"The tool {name}.", {"type": "object"}, lambda a, r: None, **options)


@pytest.fixture
def registry() -> Registry:
    return Registry()


# --- definitions ---------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 1.4")
@pytest.mark.parametrize(
    ("tool", "says"),
    [
        (raw("t", output=None), "no output declaration"),
        (raw("t", output=Output(render=None)), "render is not callable"),  # type: ignore[arg-type]
        (raw("t", timeout_s=0), "finite and positive"),
        (raw("t", timeout_s=float("inf")), "finite and positive"),
        (raw("t", timeout_s=float("nan")), "finite and positive"),
        (raw("t", timeout_s=True), "finite and positive"),
        (raw("t", effects={"delete"}), "unknown effects"),
        (raw(""), "non-empty"),
        (raw("run_code"), "reserved"),
        (raw("t", aliases=("run_code",)), "reserved"),
        (raw("t", aliases=("t",)), "tool.s own name"),
        (replace(raw("t"), parameters={"type": "nonsense"}), "parameters/type"),
        (replace(raw("t"), parameters={"$ref": "file:///etc/passwd"}), "parameters"),
        (replace(raw("t"), parameters={"$ref": "https://example.org/s"}), "parameters"),
        (raw("t", output=Output(schema={"type": 5})), "output.schema"),
        (replace(raw("t"), parameters=[]), "must be a JSON Schema object"),  # type: ignore[arg-type]
        (replace(raw("t"), parameters={"default": object()}), "parameters"),
    ],
)
def test_registration_refuses_at_once(registry: Registry, tool: Tool, says: str) -> None:
    with pytest.raises(DefinitionError, match=says):
        registry.register(tool)
    assert not registry.root.view()


@pytest.mark.spec("PIPELINE 1.4")
def test_every_fault_is_listed(registry: Registry) -> None:
    tool = raw("run_code", output=None, timeout_s=-1, effects={"x"})
    with pytest.raises(DefinitionError) as caught:
        registry.register(replace(tool, parameters={"type": 5}))
    assert len(caught.value.faults) == 5


@pytest.mark.spec("PIPELINE 1.4")
def test_a_bad_node_of_an_adapted_tool_becomes_any_json_and_is_listed(registry: Registry) -> None:
    tool = replace(
        raw("t", is_adapted=True),
        parameters={
            "type": "object",
            "properties": {"a": {"type": "wat"}, "b": {"type": "string"}},
        },
    )
    registry.register(tool)
    assert "/properties/a" in registry.degraded()["t"][0]
    contract = registry.root.view().contract("t")
    assert contract is not None
    assert contract.arguments is not None
    assert contract.arguments.is_valid({"a": 1})
    assert not contract.arguments.is_valid({"b": 1})


@pytest.mark.spec("PIPELINE 1.4")
def test_a_duplicate_names_the_scoped_route(registry: Registry) -> None:
    registry.register(raw("t"))
    with pytest.raises(DefinitionError, match=r"registry\.scope\(\.\.\.\)\.register\(tool\)"):
        registry.register(raw("t"))
    registry.scope("agent").register(raw("t"))


@pytest.mark.spec("PIPELINE 1.6")
def test_the_wire_form_is_an_allow_list_of_three() -> None:
    assert set(raw("t", timeout_s=1, group="g").wire()) == {"name", "description", "parameters"}


@pytest.mark.spec("PIPELINE 1.1")
def test_read_only_effects_imply_concurrency_safe_unless_said_otherwise() -> None:
    assert raw("t", effects={"read"}).is_concurrency_safe is True
    assert raw("t", effects={"read", "network"}).is_concurrency_safe is False
    assert raw("t", effects={"read"}, is_concurrency_safe=False).is_concurrency_safe is False


# --- disposal, listeners -------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 1.5", "PIPELINE 4.5")
def test_a_disposer_takes_back_exactly_its_own_registration(registry: Registry) -> None:
    changes: list[int] = []
    registry.on_change(lambda: changes.append(registry.version))
    dispose = registry.register(raw("t", aliases=("old",)))
    dispose()
    dispose()
    assert registry.root.view().resolve("old") is None
    registry.register(raw("t"))
    dispose()
    assert "t" in registry.root.view()
    assert len(changes) == 3


@pytest.mark.spec("PIPELINE 1.5")
def test_a_listener_that_throws_rolls_the_registration_back(registry: Registry) -> None:
    def boom() -> None:
        raise RuntimeError("no")

    stop = registry.on_change(boom)
    with pytest.raises(RuntimeError):
        registry.register(raw("t", aliases=("old",)))
    stop()
    assert not registry.root.view()
    registry.register(raw("old"))
    registry.register(raw("t"))


# --- aliases -------------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 2.9")
def test_an_alias_is_one_hop_and_never_chased(registry: Registry) -> None:
    registry.register(raw("c"))
    registry.alias("b", "c")
    registry.alias("a", "b")
    view = registry.root.view()
    assert view.canonical("b") == "c"
    assert view.resolve("b") is view["c"]
    assert view.resolve("a") is None


@pytest.mark.spec("PIPELINE 1.4", "PIPELINE 2.9")
def test_an_alias_may_not_be_a_tools_name_nor_stand_for_two(registry: Registry) -> None:
    registry.register(raw("a", aliases=("old",)))
    for tool in (raw("b", aliases=("a",)), raw("old"), raw("b", aliases=("old",))):
        with pytest.raises(DefinitionError):
            registry.register(tool)
    for old, name in (("a", "b"), ("old", "b"), ("run_code", "a"), ("x", "run_code")):
        with pytest.raises(ScopeError):
            registry.alias(old, name)
    drop = registry.alias("old", "a")
    drop()
    drop()
    assert registry.root.view().canonical("old") == "a"


# --- scopes --------------------------------------------------------------------------------------


@pytest.mark.spec("PIPELINE 4.1", "PIPELINE 4.2")
def test_a_nearer_registration_shadows_a_farther_one(registry: Registry) -> None:
    far, near = raw("t"), raw("t")
    registry.register(far)
    agent = registry.scope("agent")
    agent.register(near)
    child = registry.scope("child", agent)
    assert registry.root.view()["t"] is far
    assert child.view()["t"] is near


@pytest.mark.spec("PIPELINE 4.3")
def test_restrict_refuses_what_makes_no_sense(registry: Registry) -> None:
    registry.register(raw("a"))
    agent = registry.scope("agent")
    agent.register(raw("own"))
    refused: list[tuple[Scope, dict[str, list[str]]]] = [
        (registry.root, {"deny": ["a"]}),
        (agent, {}),
        (agent, {"allow": []}),
        (agent, {"deny": ["nothing"]}),
        (agent, {"allow": ["own"]}),
        (agent, {"deny": ["run_code"]}),
    ]
    for scope, options in refused:
        with pytest.raises(ScopeError):
            scope.restrict(**options)


@pytest.mark.spec("PIPELINE 4.3")
def test_restrictions_intersect_and_each_lifts_alone(registry: Registry) -> None:
    for name in "abc":
        registry.register(raw(name))
    agent = registry.scope("agent")
    names = ["a", "b"]
    lift_allow = agent.restrict(allow=names)
    names.append("c")
    lift_deny = agent.restrict(deny=["a"])
    assert list(agent.view()) == ["b"]
    registry.register(raw("d"))
    assert list(agent.view()) == ["b"]
    lift_allow()
    lift_allow()
    assert list(agent.view()) == ["b", "c", "d"]
    lift_deny()
    assert list(agent.view()) == ["a", "b", "c", "d"]


@pytest.mark.spec("CODE_MODE 1.1")
def test_the_nearest_mode_wins_and_a_second_declaration_is_refused(registry: Registry) -> None:
    agent = registry.scope("agent")
    child = registry.scope("child", agent)
    modes = [child.mode]
    restore = agent.present_as("code")
    modes.append(child.mode)
    assert modes == ["native", "code"]
    with pytest.raises(ScopeError):
        agent.present_as("both")
    with pytest.raises(ScopeError):
        child.present_as("loud")  # type: ignore[arg-type]
    child.present_as("both")
    restore()
    restore()
    assert (agent.mode, child.mode) == ("native", "both")


@pytest.mark.spec("CODE_MODE 1.4", "PIPELINE 4.1")
def test_the_transport_lies_outside_the_layers(registry: Registry) -> None:
    with pytest.raises(ScopeError):
        registry.mount_transport(raw("t"))
    dispose = registry.mount_transport(raw("run_code"))
    with pytest.raises(ScopeError):
        registry.mount_transport(raw("run_code"))
    registry.register(raw("t"))
    code = registry.scope("code")
    code.present_as("code")
    code.restrict(deny=["t"])
    assert list(code.view()) == ["run_code"]
    assert "run_code" not in registry.root.view()
    assert code.view().bindings() == ()
    dispose()
    assert list(code.view()) == []


@pytest.mark.spec("CODE_MODE 1.6", "PIPELINE 1.7", "CODE_MODE 3.1")
def test_pins_and_advertising_decide_the_entry_points(registry: Registry) -> None:
    registry.register(raw("plain"))
    registry.register(raw("code_only", pin="code"))
    registry.register(raw("native_only", pin="native"))
    registry.register(raw("legacy", advertised=False))
    view = registry.root.view()
    assert [tool.name for tool in view.native()] == ["native_only", "plain"]
    assert [tool.name for tool in view.bindings()] == ["code_only", "legacy", "plain"]
    assert "legacy" not in view.advertised_names()


def test_scopes_of_another_registry_are_refused(registry: Registry) -> None:
    foreign = Registry().scope("foreign")
    with pytest.raises(ScopeError):
        registry.register(raw("t"), foreign)
    with pytest.raises(ScopeError):
        registry.scope("child", foreign)
    with pytest.raises(ScopeError):
        registry.root.add("pre", "not callable")  # type: ignore[call-overload]


@pytest.mark.spec("PIPELINE 4.8")
def test_a_hook_is_removed_alone(registry: Registry) -> None:
    def hook(*_: object) -> None: ...

    first = registry.root.add("guard", hook)
    registry.root.add("guard", hook)
    first()
    first()
    assert registry.scope("agent").hooks("guard") == (hook,)
