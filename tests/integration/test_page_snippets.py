"""The snippets of the reference pages run: Python, rules, and what commands print.

The guides are followed by test_guides.py, and docs/audit.md by test_audit_walk.py. A snippet of a
reference page leaves out what is around it; that is what each test here puts there.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from console import inherited

from codemode import ToolRuntime, tool
from codemode.runtime.attachments import FileAttachmentStore
from codemode.runtime.execution import CallRequest
from codemode.runtime.log import open_store
from codemode.runtime.log.store import copy_log
from codemode.runtime.loop import AssistantMessage, Jobs, Message, ScriptedModel, ToolMessage, call
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.registry import Registry
from codemode.runtime.toolsets.files import FileToolset
from codemode.sandbox import Sandbox
from codemode.sandbox.jail.seccomp import POLICY
from codemode.sdkgen import wire_tools

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RECORDED = ROOT / "examples" / "audit_walk" / "recorded"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: Pages whose Python is run elsewhere: followed, compared with examples, or one program.
ELSEWHERE = {"audit.md", "tutorial.md", "policies.md", "approval.md", "tools.md"}


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a language on a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [block for kind, block in BLOCK.findall(text) if kind == language]


async def run(snippet: str, names: dict[str, Any]) -> None:
    """Run a snippet, which may await at its top, in `names`."""
    code = compile(snippet, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    if code.co_flags & inspect.CO_COROUTINE:
        await eval(code, names)
    else:
        exec(code, names)


@tool(effects={"read"})
async def search(query: str) -> str:
    """Search."""
    return f"found {query}"


def test_no_page_has_python_that_nothing_runs() -> None:
    here = {"loop.md", "modes.md", "pipeline.md", "replay.md", "sdk.md", "typecheck.md"}
    with_python = {path.name for path in DOCS.glob("*.md") if blocks(path.name, "python")}
    guides = {path.name for path in DOCS.glob("howto_*.md")}
    assert with_python == here | ELSEWHERE | guides


@pytest.mark.anyio
@pytest.mark.spec("CODE_MODE 1.3")
async def test_the_snippets_of_modes() -> None:
    switching, text = blocks("modes.md", "python")
    async with ToolRuntime([search]) as runtime:
        names: dict[str, Any] = {"runtime": runtime}
        await run(switching.replace("restore()", "seen = scope.mode\nrestore()"), names)
        assert (names["seen"], names["scope"].mode) == ("code", "native")
        names |= {"MY_RULES": "Rules of the house.\n"}
        names["scope"].present_as("code")
        await run(text, names)
        prompt = runtime.prompt(names["scope"])
        assert prompt.startswith("Rules of the house.\n")
        assert "search" in prompt


def test_the_table_of_modes_is_what_the_example_prints() -> None:
    (table,) = blocks("modes.md", "")
    golden = Path(__file__).parent / "golden" / "agent_modes.txt"
    assert golden.read_text(encoding="utf-8").startswith(table)


@pytest.mark.anyio
async def test_the_snippets_of_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    whole, model, stream, jobs, files = blocks("loop.md", "python")
    answers = [AssistantMessage.of("", call("search", query="x")), AssistantMessage.of("done")]
    names: dict[str, Any] = {"tools": [search], "model": ScriptedModel(answers)}
    await run(whole, names)
    assert (names["turn"].ended, names["turn"].text) == ("answered", "done")

    async def create(messages: Any, wire: Sequence[Any]) -> Any:
        if any(isinstance(message, ToolMessage) for message in messages):
            return SimpleNamespace(text="found", calls=[])
        name = wire[0]["function"]["name"]
        made = SimpleNamespace(name=name, arguments='{"query": "door"}')
        return SimpleNamespace(text="", calls=[made])

    def translated(messages: Sequence[Message]) -> Sequence[Message]:
        return messages

    client = SimpleNamespace(create=create)
    names |= {"client": client, "translated": translated, "wire_tools": wire_tools}
    await run(model, names)
    printed: list[str] = []
    async with ToolRuntime([search]) as runtime, anyio.create_task_group() as readers:
        async with runtime.agent(names["MyModel"](), instructions="Look.") as agent:
            names |= {"agent": agent, "json": json, "print": printed.append}
            readers.start_soon(run, stream, names)
            turn = await agent.run("Find the door.")
        assert (turn.text, [result.text for result in turn.results]) == ("found", ["found door"])
    # The stream ends with the session, so that the reader is done here.
    assert all(json.loads(line) for line in printed)
    assert len(printed) > 5

    async def build_index(job: Any) -> None:
        del job

    async with ToolRuntime([search]) as runtime:
        names |= {"Jobs": Jobs, "runtime": runtime, "build_index": build_index}
        names["model"] = ScriptedModel([])
        await run(jobs, names)
        (tmp_path / "checkout").mkdir()
        names |= {"FileToolset": FileToolset, "FileAttachmentStore": FileAttachmentStore}
        await run(files, names)
        assert {"read", "write", "edit"} <= set(runtime.registry.root.view().advertised_names())


@pytest.mark.anyio
async def test_the_snippet_of_the_pipeline() -> None:
    (snippet,) = blocks("pipeline.md", "python")
    names: dict[str, Any] = {
        "Registry": Registry, "Pipeline": Pipeline, "CallRequest": CallRequest, "search": search,
    }  # fmt: skip
    await run(snippet, names)
    assert names["result"].text == "found x"


@pytest.mark.anyio
async def test_the_snippet_of_the_sdk() -> None:
    (snippet,) = blocks("sdk.md", "python")
    schema = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "body": {"type": "string"},
            "labels": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["title"],
        "additionalProperties": False,
    }
    names: dict[str, Any] = {"schema": schema}
    await run(snippet, names)
    (catalog,) = blocks("sdk.md", "")
    arguments = catalog.split(" -> ", 1)[0]
    assert arguments in names["sdk"].prompt("code")


@pytest.mark.anyio
async def test_the_snippet_of_checking() -> None:
    pytest.importorskip("ty")
    (snippet,) = blocks("typecheck.md", "python")
    await run(snippet, {"ToolRuntime": ToolRuntime, "tools": [search]})


@pytest.mark.spec("AUDIT 3.2")
def test_the_snippet_of_replay(tmp_path: Path) -> None:
    (snippet,) = blocks("replay.md", "python")
    source, target = (
        open_store(RECORDED / "session.jsonl", read_only=True),
        open_store(tmp_path / "s.sqlite"),
    )
    copy_log(source, target)
    source.close()
    target.close()
    journal = (RECORDED / "session.jsonl.journal").read_bytes()
    (tmp_path / "s.sqlite.journal").write_bytes(journal)
    program = snippet.replace("call_4af5f424e4674018", "call_3888874106413730")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.startswith("identical "), done.stderr


TOOLS = '''
from codemode import tool

@tool(effects={"process"})
async def bash(command: str) -> str:
    """Run a command."""
    return "ran " + command

TOOLS = [bash]
'''


@pytest.mark.parametrize("page", ["policies.md", "pipeline.md"])
def test_the_rules_of_a_page_are_rules_and_its_commands_run(page: str, tmp_path: Path) -> None:
    (rules,) = blocks(page, "toml")
    (commands,) = blocks("policies.md", "")
    (tmp_path / "rules.toml").write_text(rules)
    (tmp_path / "my_tools.py").write_text(TOOLS)
    (tmp_path / "program.py").write_text(
        "for command in ['git status', 'git push']:\n"
        "    try:\n"
        "        print(tools.bash(command=command))\n"
        "    except ToolCallError as error:\n"
        "        print(error.code)\n"
    )
    printed = [
        subprocess.run(
            command.replace("codemode", f"{sys.executable} -m codemode", 1),
            shell=True,
            cwd=tmp_path,
            env=inherited(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        ).stdout
        for command in commands.splitlines()
    ]
    explained, ran = printed
    assert explained.startswith("deny: the permission rule 'bash(git push*)' says deny")
    assert ran.splitlines()[:2] == ["ran git status", "DENIED"]


def test_what_security_points_at_is_there() -> None:
    """Every path, test and module that the page names; a cell names the file after its tests."""
    page = (DOCS / "security.md").read_text(encoding="utf-8")
    for path in re.findall(r"\b((?:tests|examples|docs|benchmarks)/[\w/.]+\w)", page):
        assert (ROOT / path).exists(), path
    groups = re.findall(r"((?:`test_\w+`,? )+)\((tests/[\w/.]+\.py)\)", page)
    named = [(test, path) for tests, path in groups for test in re.findall(r"test_\w+", tests)]
    assert len(named) == len(set(re.findall(r"`(test_\w+)`", page))) >= 15
    for test, path in named:
        assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), test
    for module in re.findall(r"python -m ([\w.]+)", page):
        assert (ROOT / module.replace(".", "/")).with_suffix(".py").exists(), module


@pytest.mark.spec("SANDBOX 2.1")
def test_security_counts_the_calls_that_reach_the_kernel() -> None:
    page = (DOCS / "security.md").read_text(encoding="utf-8")
    allowed = {rule.call for rule in POLICY if rule.answer == "allow"}
    assert len(allowed) == 18
    assert "eighteen calls reach the kernel" in page


async def _raise() -> str:
    raise RuntimeError("what the client library said")


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 4.4")
async def test_what_a_tool_raises_reaches_a_program_as_security_says() -> None:
    program = "try:\n    await leak()\nexcept Exception as error:\n    print(error)"
    leaking = tool(name="leak", description="Fail.", effects={"read"})(_raise)
    async with ToolRuntime([leaking], mode="code") as runtime, Sandbox() as sandbox:
        told = await runtime.run_code(program.replace("leak", "tools.leak"))
        outcome = await sandbox.run(program, bindings={"leak": _raise})
    assert "what the client library said" in told.text
    assert "Traceback" not in told.text
    assert "RuntimeError" in outcome.stdout
    assert "client library" not in outcome.stdout
