"""A secret in every place that a run can carry one: it reaches no log, journal, report or span."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from codemode import ToolRuntime, tool
from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.runtime.audit import build_tree, render_html, render_tree, verify
from codemode.runtime.audit.replay import replay
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.log import Redactor, open_store, read_events
from codemode.runtime.log.canonical import encode, sha256_of
from codemode.runtime.log.journal import SqliteJournal, journal_path
from codemode.runtime.log.redaction import Rules
from codemode.runtime.policy import Allow, Ask, Deny
from codemode.runtime.wrappers.telemetry import Telemetry
from codemode.sandbox.values import Json

pytestmark = [pytest.mark.anyio, pytest.mark.spec("PIPELINE 10.1")]

SECRET = "hunter2-7f3a9c"
RULES = Rules(keys=re.compile("(?!)"), patterns=(re.compile(re.escape(SECRET)),))
IN_EVERY_PLACE = f"""
# {SECRET}
import pathlib
print("printed", "{SECRET}")
print(tools.echo(text="{SECRET}"), tools.secretive(), tools.nested(text="{SECRET}"))
for call in (tools.fail, tools.crash, tools.denied, tools.rejected, tools.announced):
    try:
        print(call(text="{SECRET}"))
    except Exception as error:
        print(error)
for arguments in ({{"text": ["{SECRET}"]}}, {{"wrong": "{SECRET}"}}, {{"{SECRET}": 1}}):
    try:
        tools.echo(**arguments)
    except Exception as error:
        print(error)
try:
    tools["{SECRET}"]()
except Exception as error:
    print(error)
print(pathlib.Path("input.txt").read_text())
pathlib.Path("output.txt").write_text("{SECRET}")
"""
PROGRAMS = (
    IN_EVERY_PLACE + f"{{'value': ['{SECRET}']}}",
    f"raise ValueError('{SECRET}')",
    f"x = '{SECRET}'\nimport ctypes  # {SECRET}",
    f"x = '{SECRET}",
    f"1 + {{}}['{SECRET}']",
)


@tool
async def echo(text: str) -> str:
    """Give it back."""
    return text


@tool
async def secretive() -> dict[str, str]:
    """Give a secret."""
    return {"key": f"value {SECRET}", SECRET: "as a key"}


@tool
async def nested(text: str, run: RunContext) -> str:
    """Write an event of one's own, and announce something."""
    run.emit("shop/observed", {"text": text, "list": [text]})
    await run.intent("shop/intends", {"text": text})
    return "done"


@tool
async def announced(text: str, run: RunContext) -> str:
    """Announce what is denied."""
    await run.intent("shop/denied", {"text": text})
    return "never"


@tool
async def fail(text: str) -> str:
    """Fail as a tool does."""
    raise ToolError(f"no {text}")


@tool
async def crash(text: str) -> str:
    """Fail as a program does."""
    raise RuntimeError(f"no {text}")


@tool
async def denied(text: str) -> str:
    """Denied by a policy."""
    return text


@tool
async def rejected(text: str) -> str:
    """Rejected by a person."""
    return text


def policy(execution: Execution) -> Allow | Ask | Deny:
    if execution.name == "denied":
        return Deny(f"not with {SECRET}")
    if execution.name == "rejected":
        return Ask(f"is {SECRET} right?")
    return Allow()


def subscriber(execution: Execution, event_type: str, data: Any) -> str | None:
    return f"no {SECRET}" if event_type == "shop/denied" else None


class Person:
    def __init__(self) -> None:
        self.seen: list[str] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        self.seen.append(repr(request.arguments))
        return ApprovalOutcome(answer="rejected", by="cli:ada", reason=f"I see {SECRET}")


def files_of(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if file.is_file()]


@pytest.mark.parametrize("kind", ["log.sqlite", "log.jsonl"])
@pytest.mark.parametrize("journal", ["full", "digest"])
async def test_a_secret_in_any_place_reaches_no_record(
    kind: str, journal: Any, tmp_path: Path
) -> None:
    exporter, provider, person = InMemorySpanExporter(), TracerProvider(), Person()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    redactor = Redactor(RULES)
    telemetry = Telemetry(tracer_provider=provider, with_content=True, redact=redactor)
    log = tmp_path / kind
    async with ToolRuntime(
        [echo, secretive, nested, announced, fail, crash, denied, rejected],
        mode="code",
        log=log,
        journal=journal,
        redact=redactor,
        policies=[policy],
        intents=[subscriber],
        approval=person,
        wrappers=[telemetry.wrap],
        observers=[telemetry.observe],
    ) as runtime:
        results = [
            await runtime.run_code(
                program,
                description=f"about {SECRET}",
                files={"input.txt": f"file {SECRET}".encode()},
                artifacts=("output.txt",),
            )
            for program in PROGRAMS
        ]
    # The program itself is untouched: the model reads what it printed.
    assert results[0].text.count(SECRET) > 5
    assert not results[0].is_error, results[0].text
    assert all(result.is_error for result in results[1:])

    digests: list[Json] = [SECRET, *PROGRAMS, [SECRET], {"text": SECRET}, {"value": [SECRET]}]
    traces = [
        SECRET.encode(),
        *(sha256_of(value).encode() for value in digests),
        *(hashlib.sha256(text.encode()).hexdigest().encode() for text in (SECRET, *PROGRAMS)),
    ]

    def leaks(content: bytes) -> list[bytes]:
        return [trace for trace in traces if trace in content]

    for file in files_of(tmp_path):
        assert not leaks(file.read_bytes()), file.name
    assert not leaks("".join(person.seen).encode())
    spans = [(span.name, span.attributes, span.status) for span in exporter.get_finished_spans()]
    assert len(spans) > 10
    assert not leaks(repr(spans).encode())

    store = open_store(log, read_only=True)
    assert verify(store).ok
    assert not leaks(render_html(store).encode())
    for session in store.sessions():
        tree = build_tree(read_events(store, session))
        assert not leaks(render_tree(tree, width=400).encode())
        assert not leaks(json.dumps(tree.as_json()).encode())
    marked = [
        event.type
        for session in store.sessions()
        for event in read_events(store, session)
        if event.data.get("redacted")
    ]
    assert {
        "tool/call", "tool/code-run-start", "tool/code-dispatch-start", "tool/code-dispatch",
        "tool/result", "approval/asked", "approval/decided", "shop/observed", "shop/intends",
        "shop/denied", "tool/code-dispatch-refused",
    } <= set(marked)  # fmt: skip
    values = SqliteJournal(journal_path(log), read_only=True)
    for result in results:
        verdict = await replay(store, values, result.call_id)
        assert verdict.verdict == "impossible"
        assert "redacted" in verdict.reason
        assert not leaks(encode(verdict.as_json()))
    values.close()
    store.close()
