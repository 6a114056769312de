"""`codemode policy explain` and `codemode run --rules`, as an operator uses them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from console import codemode

TOOLS = '''
from codemode import tool

@tool(effects={"process"})
async def bash(command: str) -> str:
    """Run a command."""
    return "ran " + command

@tool(effects={"read"}, aliases=["find"])
async def search(query: str) -> str:
    """Search."""
    return "found " + query

TOOLS = [bash, search]
'''

RULES = """
default = "ask"
allow = ["effect:read", "bash(git *)"]
ask = ["effect:process"]
deny = ["bash(* push*)"]
"""

PROGRAM = """
for call in (
    lambda: tools.search(query="x"),
    lambda: tools.bash(command="git status"),
    lambda: tools.bash(command="git push"),
    lambda: tools.bash(command="ls"),
):
    try:
        print(call())
    except ToolCallError as error:
        print(error.code, error.message)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shell.py").write_text(TOOLS)
    (tmp_path / "rules.toml").write_text(RULES)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def explain(folder: Path, call: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return codemode(folder, "policy", "explain", call, "--rules", "rules.toml", *arguments)


@pytest.mark.spec("PIPELINE 4.6")
def test_the_deciding_rule_is_named_with_every_other_that_is_about_the_call(folder: Path) -> None:
    done = explain(folder, "bash(git push)", "--tools", "shell:TOOLS")
    assert (done.returncode, done.stdout) == (
        0,
        "deny: the permission rule 'bash(* push*)' says deny\n"
        "rules about this call, in order of precedence:\n"
        "  deny: bash(* push*)\n"
        "  allow: bash(git *)\n"
        "  ask: effect:process\n",
    ), done.stderr


@pytest.mark.spec("PIPELINE 4.6", "PIPELINE 2.9")
def test_an_old_name_stands_for_the_tool_as_it_does_in_a_call(folder: Path) -> None:
    answer = json.loads(explain(folder, "find(x)", "--tools", "shell:TOOLS", "--json").stdout)
    said = (answer["call"], answer["verdict"], answer["rule"])
    assert said == ("search(x)", "allow", "effect:read")


@pytest.mark.spec("PIPELINE 4.6")
def test_json_names_the_verdict_the_rule_and_what_the_rules_know_of_the_tool(folder: Path) -> None:
    done = explain(folder, "search(x)", "--tools", "shell:TOOLS", "--json")
    assert json.loads(done.stdout) == {
        "call": "search(x)",
        "verdict": "allow",
        "rule": "effect:read",
        "reason": "the permission rule 'effect:read' says allow",
        "matched": ["allow: effect:read"],
        "notes": [],
        "effects": ["read"],
        "argument": "query",
    }
    unknown = json.loads(explain(folder, "search(x)", "--json").stdout)
    assert (unknown["verdict"], unknown["rule"], unknown["effects"]) == ("ask", "", None)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bash(git", "--rules", "rules.toml"], "is not a call"),
        (["bash(x)", "--rules", "missing.toml"], "missing.toml: No such file"),
        (["bash(x)", "--rules", "program.py"], "program.py"),
        (["bash(x)", "--rules", "rules.toml", "--tools", "nope:TOOLS"], "nope"),
        (
            ["bish(x)", "--rules", "rules.toml", "--tools", "shell:TOOLS"],
            "there are bash, find, search",
        ),
        (["bash(x)"], "--rules"),
    ],
)
def test_what_cannot_be_read_is_a_usage_error(
    folder: Path, arguments: list[str], says: str
) -> None:
    done = codemode(folder, "policy", "explain", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.spec("PIPELINE 4.6")
def test_rules_about_nothing_are_complained_of_and_what_is_not_known_is_said(folder: Path) -> None:
    (folder / "rules.toml").write_text('deny = ["serch", "bash(comand=x)", "effect:write"]')
    warnings = ["'serch' is about no tool", "did you mean 'search'?", "did you mean 'command'?"]
    explained = explain(folder, "bash(x)", "--tools", "shell:TOOLS")
    ran = codemode(folder, "run", "program.py", "--tools", "shell:TOOLS", "--rules", "rules.toml")
    assert (explained.returncode, ran.returncode) == (0, 0)
    for warning in warnings:
        assert warning in explained.stderr
        assert warning in ran.stderr
    unknown = explain(folder, "bash(x)")
    assert "note: the effects of bash are not known" in unknown.stdout
    assert unknown.stderr == "", "without tools nothing can be said of the rules"


@pytest.mark.spec("PIPELINE 4.6", "PIPELINE 6.17")
def test_a_run_obeys_the_rules_call_by_call(folder: Path) -> None:
    arguments = ["run", "program.py", "--tools", "shell:TOOLS", "--rules", "rules.toml"]
    done = codemode(folder, *arguments)
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [
            "found x",
            "ran git status",
            "DENIED the permission rule 'bash(* push*)' says deny",
            "APPROVAL_UNAVAILABLE approval is needed, and there is nobody to ask:"
            " --approve ask asks at the terminal, --approve all says yes to all",
        ],
    ), done.stderr
    granted = codemode(folder, *arguments, "--approve", "all").stdout.splitlines()
    assert granted[2:] == ["DENIED the permission rule 'bash(* push*)' says deny", "ran ls"]


@pytest.mark.spec("PIPELINE 4.6", "CODE_MODE 2.1")
def test_the_default_meets_the_calls_of_a_program_and_a_rule_may_meet_the_program(
    folder: Path,
) -> None:
    """The program itself reaches nothing; a rule of the host's may still read and refuse it."""
    (folder / "rules.toml").write_text('default = "deny"\ndeny = ["run_code(*bash*)"]\n')
    arguments = ["run", "program.py", "--tools", "shell:TOOLS", "--rules", "rules.toml"]
    refused = codemode(folder, *arguments)
    assert refused.returncode == 1
    assert refused.stderr == "Error: the permission rule 'run_code(*bash*)' says deny\n"
    (folder / "program.py").write_text("tools.search(query='x')")
    denied = codemode(folder, *arguments)
    assert denied.returncode == 1
    assert "no permission rule is about search; the default is deny" in denied.stderr
