"""Permission rules: precedence, patterns, and that doubt never allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pipeline_harness import Harness

from codemode.runtime.approval import MemoryApprovalChannel
from codemode.runtime.definition import Tool
from codemode.runtime.execution import RunContext
from codemode.runtime.permission_rules import RuleError, parse_rule
from codemode.runtime.permissions import Permissions, subject_of


async def echo(arguments: Any, run: RunContext) -> Any:
    return dict(arguments)


def tool(name: str, *parameters: str, effects: Any = ()) -> Tool:
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in parameters},
        "required": list(parameters[:1]),
    }
    return Tool.raw(name, "", schema, echo, effects=effects)


BASH = tool("bash", "command", "cwd", effects={"process"})
EDIT = tool("edit", "path", "text", effects={"write"})
SEARCH = tool("search", "query", effects={"read"})
FETCH = tool("fetch", "url", effects={"network"})


@pytest.mark.spec("PIPELINE 4.6")
def test_deny_wins_over_allow_and_allow_answers_ask() -> None:
    rules = Permissions(
        allow=["bash(git push origin main)", "edit(src/**)"],
        deny=["bash(git push*)"],
        ask=["effect:write"],
    )
    assert rules.explain("bash(git push origin main)", BASH).verdict == "deny"
    assert rules.explain("edit(src/a.py)", EDIT).verdict == "allow"
    asked = rules.explain("edit(docs/a.md)", EDIT)
    assert (asked.verdict, asked.rule) == ("ask", "effect:write")
    default = rules.explain("search(x)", SEARCH)
    assert (default.verdict, default.rule) == ("ask", "")
    assert "no permission rule" in default.reason


@pytest.mark.spec("PIPELINE 4.6")
def test_an_explanation_lists_every_rule_that_is_about_the_call() -> None:
    rules = Permissions(allow=["bash(git *)"], deny=["bash(* push)"], ask=["effect:process"])
    explained = rules.explain("bash(git push)", BASH)
    assert explained.verdict == "deny"
    assert explained.matched == ("deny: bash(* push)", "allow: bash(git *)", "ask: effect:process")
    assert "'bash(* push)' says deny" in explained.reason


@pytest.mark.spec("PIPELINE 4.6")
@pytest.mark.parametrize(
    ("rule", "call", "of", "verdict"),
    [
        ("bash(git *)", "bash(git status)", BASH, "allow"),
        ("bash(git *)", "bash(git status; rm -rf /)", BASH, "ask"),
        ("bash(git *)", "bash(git log $(rm x))", BASH, "ask"),
        ("bash(git *)", "bash(git log\nrm x)", BASH, "ask"),
        ("bash(git *)", "bash(gitx)", BASH, "ask"),
        ("search(*)", "search(a & b)", SEARCH, "allow"),
        ("edit(src/**)", "edit(src/a/b.py)", EDIT, "allow"),
        ("edit(src/**)", "edit(src/../secret)", EDIT, "ask"),
        ("edit(src/**)", "edit(./src/a.py)", EDIT, "allow"),
        ("edit(src/*.py)", "edit(src/a.py)", EDIT, "allow"),
        ("edit(src/*.py)", "edit(src/a/b.py)", EDIT, "ask"),
        ("edit(src/**/b.py)", "edit(src/b.py)", EDIT, "allow"),
        ("edit(./src/**)", "edit(src/a/b.py)", EDIT, "allow"),
        ("edit(text=src/*)", "edit(src/a)", EDIT, "ask"),
        ("fetch(https://a.org/**)", "fetch(https://a.org/b/c)", FETCH, "allow"),
        ("fetch(https://a.org/**)", "fetch(https://a.org/../b.org)", FETCH, "ask"),
        ("fetch(https://a.org/**)", "fetch(https://a.org@b.org/c)", FETCH, "ask"),
        ("bash(cat src/*)", "bash(cat src/a)", BASH, "allow"),
        ("bash(cat src/*)", "bash(cat src/a; rm b)", BASH, "ask"),
        ("bash(cat src/**)", "bash(cat src/a $(rm b))", BASH, "ask"),
        ("bash(ls | *)", "bash(ls | wc)", BASH, "allow"),
        ("bash(ls | *)", "bash(ls | wc; rm b)", BASH, "ask"),
        ("run(git *)", "run(git log; rm b)", tool("run", "line"), "ask"),
        ("effect:read", "search", SEARCH, "allow"),
        ("effect:read", "sync", tool("sync", effects={"read", "write"}), "ask"),
        ("git*", "git_log", tool("git_log"), "allow"),
        ("git", "git_log", tool("git_log"), "ask"),
    ],
)
def test_an_allow_matches_exactly_what_it_says(
    rule: str, call: str, of: Tool, verdict: str
) -> None:
    assert Permissions(allow=[rule]).explain(call, of).verdict == verdict


@pytest.mark.spec("PIPELINE 4.6")
@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/etc/**", "/etc/passwd"),
        ("/etc/**", "//etc/passwd"),
        ("/etc/**", "///etc/./passwd"),
        ("/etc/**", "/etc"),
        ("/etc/**", "/etc/"),
        ("//etc/**", "/etc/passwd"),
        ("./secret/**", "secret/a"),
        ("secret/", "secret"),
        ("secret/**", "./secret/a"),
        ("secret.txt", "./secret.txt"),
        ("*.env", "a/.env/."),
        ("https://a.org/**", "https://a.org/b"),
        ("/**", "/"),
    ],
)
def test_a_denied_path_has_no_other_spelling_that_is_not(rule: str, path: str) -> None:
    permissions = Permissions(deny=[f"edit({rule})"], default="allow")
    assert permissions.explain(f"edit({path})", EDIT).verdict == "deny"
    assert permissions.explain("edit(other/a)", EDIT).verdict == "allow"


@pytest.mark.spec("PIPELINE 4.6", "PIPELINE 2.5")
@pytest.mark.parametrize(
    ("rule", "arguments", "is_denied"),
    [
        ("deploy(prod)", {"where": ["test", "prod"]}, True),
        ("deploy(prod)", {"where": {"first": {"name": "prod"}}}, True),
        ("deploy(where=prod)", {"where": ["test", "prod"]}, True),
        ("deploy(where=prod)", {"note": "prod"}, False),
        ("deploy(where=test)", {"note": "a"}, True),
        ("deploy(where=test)", {"where": "dev"}, False),
        ("deploy(force=true)", {"force": True}, True),
        ("deploy(count=1*)", {"count": 100}, True),
        ("deploy(count=1*)", {"count": None}, False),
    ],
)
def test_a_deny_pattern_looks_into_lists_objects_numbers_and_defaults(
    rule: str, arguments: dict[str, Any], is_denied: bool
) -> None:
    schema = {"type": "object", "properties": {"where": {"default": "test"}, "note": {}}}
    deploy = Tool.raw("deploy", "", schema, echo)
    assert parse_rule(rule).matches(subject_of(deploy, arguments), allows=False) is is_denied


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 4.6", "PIPELINE 6.22")
async def test_a_deny_pattern_looks_at_every_text_argument(harness: Harness) -> None:
    harness.registry.register(BASH)
    rules = Permissions(allow=["bash(ls*)"], deny=["bash(/etc/**)"])
    harness.registry.root.add("pre", rules)
    async with harness.open():
        allowed = await harness.call("bash", {"command": "ls", "cwd": "/tmp"})
        denied = await harness.call("bash", {"command": "ls", "cwd": "/etc/ssh"})
    assert allowed.decision.rule == "bash(ls*)"
    assert denied.code == "DENIED"
    assert denied.decision.rule == "bash(/etc/**)"


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 4.6", "PIPELINE 2.9")
async def test_rules_match_the_canonical_name_behind_an_alias(harness: Harness) -> None:
    harness.registry.register(SEARCH)
    harness.registry.alias("find", "search")
    harness.registry.root.add("pre", Permissions(deny=["search"], default="allow"))
    async with harness.open():
        assert (await harness.call("find", {"query": "x"})).code == "DENIED"
        assert (await harness.call("nothing")).code == "UNKNOWN_TOOL"


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 4.6", "PIPELINE 7.1")
async def test_what_no_rule_is_about_is_asked(harness: Harness) -> None:
    harness.registry.register(SEARCH)
    harness.registry.root.add("pre", Permissions())
    channel = MemoryApprovalChannel(lambda request: "allowed")
    async with harness.open(approval=channel):
        assert not (await harness.call("search", {"query": "x"})).is_error
    assert "default is ask" in channel.asked[0].reason


@pytest.mark.spec("PIPELINE 4.6")
def test_rules_are_loaded_from_toml_and_faults_are_named(tmp_path: Path) -> None:
    path = tmp_path / "permissions.toml"
    path.write_text('default = "deny"\nallow = ["search", "bash(git *)"]\n')
    rules = Permissions.from_toml(path)
    assert rules.explain("search").verdict == "allow"
    assert rules.explain("edit").verdict == "deny"
    for text in (
        "allow = 5",
        "alow = []",
        "allow = [",
        'allow = ["a b"]',
        'default = "maybe"',
        "deny = [1]",
    ):
        path.write_text(text)
        with pytest.raises(RuleError):
            Permissions.from_toml(path)


@pytest.mark.parametrize("text", ["", "effect:fly", "a b", "(x)"])
def test_a_rule_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(RuleError):
        parse_rule(text)


@given(text=st.text(max_size=40), pattern=st.text(max_size=20))
def test_matching_is_total_and_a_literal_pattern_matches_itself(text: str, pattern: str) -> None:
    rule = parse_rule("search(query=" + pattern + ")")
    subject_rules = Permissions(deny=[rule.text])
    assert subject_rules.explain("search", SEARCH).verdict in ("ask", "deny")
    if "*" not in text and "/" not in text:
        assert parse_rule(f"search(query={text})").pattern is not None


@pytest.mark.spec("PIPELINE 4.6", "CODE_MODE 2.1")
def test_the_default_does_not_meet_a_program_but_a_rule_may() -> None:
    rules = Permissions(deny=["run_code(*subprocess*)"], default="deny")
    fine = rules.explain("run_code(print(1))")
    assert (fine.verdict, fine.rule) == ("allow", "")
    assert "the calls of its program meet the rules themselves" in fine.reason
    refused = rules.explain("run_code(import subprocess)")
    assert (refused.verdict, refused.rule) == ("deny", "run_code(*subprocess*)")
    assert rules.explain("search(x)").verdict == "deny"


@pytest.mark.spec("PIPELINE 4.6")
@pytest.mark.parametrize("text", ["effects:write", "Effect:write", "efect: Write"])
def test_a_misspelt_rule_about_an_effect_is_no_rule_about_nothing(text: str) -> None:
    with pytest.raises(RuleError, match="did you mean 'effect:write'"):
        Permissions(deny=[text])


ORDER = Tool.raw(
    "order",
    "",
    {
        "type": "object",
        "properties": {"pieces": {"type": "integer", "minimum": 1}, "note": {"type": "string"}},
        "required": ["pieces"],
        "additionalProperties": False,
    },
    echo,
    effects={"write"},
    aliases=("buy",),
)


@pytest.mark.anyio
@pytest.mark.spec("PIPELINE 4.6")
@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("order(note=my secret)", {"pieces": 1, "note": "my secret"}),
        ("order(note=plain)", {"pieces": 1, "note": "plain"}),
        ("order(5)", {"pieces": 5}),
    ],
)
async def test_an_explanation_agrees_with_what_a_call_meets(
    harness: Harness, call: str, arguments: Any
) -> None:
    rules = Permissions(
        allow=["order(*)"], deny=["order(note=*secret*)", "order(pieces=9)"], default="deny"
    )
    explained = rules.explain(call, ORDER)
    harness.registry.register(ORDER)
    harness.registry.root.add("pre", rules)
    async with harness.open():
        result = await harness.call("order", arguments)
    assert (explained.verdict == "deny") == (result.code == "DENIED")
    assert explained.verdict == "deny", "an allowing rule looks at text only"


@pytest.mark.spec("PIPELINE 4.6")
@pytest.mark.parametrize("call", ["order(many)", "order(0)", "order(note=5)[", "stop(now)"])
def test_a_call_that_could_not_be_made_is_not_explained(call: str) -> None:
    stop = Tool.raw("stop", "", {"type": "object", "additionalProperties": False}, echo)
    with pytest.raises(RuleError):
        Permissions().explain(call, stop if call.startswith("stop") else ORDER)


@pytest.mark.spec("PIPELINE 4.6")
def test_an_explanation_says_what_was_not_known() -> None:
    rules = Permissions(default="allow", deny=["effect:write", "order(note=x)"])
    (effects, arguments) = rules.explain("order").notes
    assert "effects of order are not known" in effects
    assert "without arguments" in arguments
    assert "whether it has one is not known" in rules.explain("order(note=y)").notes[0]
    assert rules.explain("order(note=y)", ORDER).notes == ()
    assert "read as text of 'command'" in rules.explain("bash(A=1 make)", BASH).notes[0]


@pytest.mark.spec("PIPELINE 4.6")
def test_rules_about_nothing_are_named_against_the_tools_that_there_are() -> None:
    rules = Permissions(
        allow=["order", "order(5)", "effect:read", "run_code(*)", "o*"],
        ask=["buy"],
        deny=["ordr(x)", "order(not=x)"],
    )
    assert rules.about_nothing([ORDER]) == (
        "the rule 'ordr(x)' is about no tool that there is; did you mean 'order'?",
        "the rule 'order(not=x)': no such tool has that argument; did you mean 'note'?",
        "the rule 'buy' is about no tool that there is; did you mean 'order'?",
    )
