"""The token of a call is in no frame, log, journal, span, error, text or guest.

A real run whose tools, policies and approvals put everything that they are given into texts, and
whose program dumps whatever it can reach. All that leaves the pipeline is kept byte for byte, and
searched for the tokens of every call in each form that a text or a number could have.
"""

from __future__ import annotations

import copy
import logging
import pickle
import pprint
import socket
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from typing_extensions import override

from codemode import Limits, ToolRuntime, tool
from codemode.runtime.approval import MemoryApprovalChannel
from codemode.runtime.errors import TokenError, ToolError
from codemode.runtime.execution import CallRequest, Execution, RunContext, Token
from codemode.runtime.log import open_store, read_events
from codemode.runtime.loop import ScriptedModel, call
from codemode.runtime.loop.messages import AssistantMessage
from codemode.runtime.policy import Ask, Deny
from codemode.runtime.result import Result
from codemode.runtime.wrappers.telemetry import Telemetry
from codemode.sandbox.control import RunControl
from codemode.sandbox.forkserver.guest import Guest
from codemode.sandbox.local import LocalSandbox
from codemode.sandbox.program import Failure

pytestmark = pytest.mark.anyio

#: Dumps what a program can reach: names, values, functions, errors and what hangs on them.
PROGRAM = """\
seen = []

def dump(value, depth):
    try:
        seen.append(repr(value))
        seen.append(str(value))
    except BaseException as error:
        seen.append(repr(error))
    if depth:
        for name in dir(value):
            if name.startswith('_'):
                continue
            try:
                inner = getattr(value, name)
            except BaseException as error:
                seen.append(repr(error))
                continue
            dump(inner, depth - 1)

dump(tools, 3)
dump(catalog, 2)
for name in ("confess", "blurt", "forbidden", "asked"):
    try:
        dump(tools[name](), 1)
    except BaseException as error:
        dump(error, 2)
        seen.extend(repr(item) for item in error.args)
try:
    tools.confess(token="<mine>")
except BaseException as error:
    dump(error, 2)
dump(ToolCallError, 2)
print("\\n".join(seen)[:200_000])
return len(seen)
"""


class Tap(socket.socket):
    """A socket that keeps what goes through it."""

    frames: bytearray

    @override
    def send(self, data: Any, flags: int = 0, /) -> int:
        sent = super().send(data, flags)
        self.frames += bytes(data)[:sent]
        return sent

    @override
    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        data = super().recv(bufsize, flags)
        self.frames += data
        return data


class TappedSandbox(LocalSandbox):
    """Keeps every byte between the host and its guests."""

    def __init__(self) -> None:
        super().__init__()
        self.frames = bytearray()

    @override
    async def _acquire(self, limits: Limits, control: RunControl) -> Guest | Failure:
        guest = await super()._acquire(limits, control)
        if isinstance(guest, Guest):
            tap = Tap(fileno=guest.socket.detach())
            tap.setblocking(False)
            tap.frames = self.frames
            guest.socket = tap
        return guest


@tool(effects={"write"})
async def confess(run: RunContext) -> dict[str, str]:
    """Say all that a body is given."""
    execution = run.execution
    return {
        "run": repr(run),
        "execution": repr(execution),
        "pretty": pprint.pformat(execution),
        "owner": repr(execution.owner),
        "token": f"{run.token} {run.token!r}",
    }


@tool(effects={"write"})
async def blurt(run: RunContext) -> None:
    """Fail with all that a body is given."""
    run.defer_context(f"{run.execution}")
    run.emit("spy/observed", {"text": repr(run.execution)})
    raise ToolError(f"{run.execution!r} {run.token!r} {run.execution.parent!r}")


@tool(effects={"write"})
async def forbidden() -> None:
    """Denied with all that a policy is given."""


@tool(effects={"write"})
async def asked() -> str:
    """Asked about with all that a policy is given."""
    return "asked"


def files_below(folder: Path) -> bytes:
    """What every file has: the log and its journal, as they stand while they are open."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def forms(token: Token) -> list[bytes]:
    """How the identity of a token could be written down."""
    number = id(token)
    words = [f"{number:x}", f"{number:X}", str(number), "Token object"]
    return [
        *(word.encode() for word in words),
        *(number.to_bytes(8, order) for order in ("big", "little")),
    ]


@pytest.mark.spec("PIPELINE 5.1", "PIPELINE 5.2", "AUDIT 2.5")
async def test_the_token_of_a_call_is_nowhere_but_in_the_host(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    tokens: set[Token] = set()
    shown: list[str] = []
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry = Telemetry(tracer_provider=provider)

    def policy(execution: Execution) -> Deny | Ask | None:
        tokens.add(execution.token)
        if execution.name == "forbidden":
            return Deny(f"{execution!r}", rule=repr(execution)[:100])
        return Ask(repr(execution)) if execution.name == "asked" else None

    def observe(execution: Execution, result: Result) -> None:
        shown.append(repr(result))
        raise RuntimeError(f"an observer that blurts {execution!r}")

    sandbox = TappedSandbox()
    channel = MemoryApprovalChannel(lambda request: "allowed")
    log = tmp_path / "log.sqlite"
    model = ScriptedModel(
        [AssistantMessage.of("", call("run_code", code=PROGRAM)), AssistantMessage.of("done")]
    )
    try:
        async with ToolRuntime(
            [confess, blurt, forbidden, asked],
            mode="code",
            log=log,
            journal="full",
            sandbox=sandbox,
            policies=[policy],
            wrappers=[telemetry.wrap],
            observers=[telemetry.observe, observe],
            approval=channel,
        ) as runtime:
            async with runtime.agent(model) as agent:
                live = agent.stream()
                turn = await agent.run("go")
                shown.append(repr(agent.messages))
            shown += [repr(item) async for item in live]
            kept = files_below(tmp_path)
    finally:
        await sandbox.aclose()
    (result,) = turn.results
    assert not result.is_error, result.text
    assert len(tokens) == 5  # run_code and four calls; the fifth was no call of a pipeline
    shown += [repr(request) for request in channel.asked]
    shown += [repr(model.requests), result.text, caplog.text]
    shown += [span.to_json() for span in exporter.get_finished_spans()]
    store = open_store(log, read_only=True)
    for session in store.sessions():
        shown += [repr(event) for event in read_events(store, session)]
    store.close()
    places = {
        "frames": bytes(sandbox.frames),
        "log and journal": kept,
        "texts": "\n".join(shown).encode(),
    }
    # The search looks at what was really said: each place has the words of the tools in it.
    assert all(b"Execution(" in place for place in places.values())
    assert "observer" in caplog.text
    for name, place in places.items():
        for token in tokens:
            for form in forms(token):
                assert form not in place, f"a token is in the {name} as {form!r}"


@pytest.mark.spec("PIPELINE 5.1")
def test_a_token_has_nothing_to_copy_compare_or_write_down() -> None:
    token = Token()
    assert repr(token) == str(token) == f"{token}" == "<Token>"
    for write in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be copied"):
            write(token)
    assert token != Token()
    assert not hasattr(token, "__dict__")


@pytest.mark.spec("PIPELINE 5.1", "PIPELINE 5.2")
async def test_a_token_is_worth_nothing_once_its_call_has_settled_or_in_another_runtime() -> None:
    tokens: list[Token] = []

    @tool(effects={"read"})
    async def keep(run: RunContext) -> None:
        """Keep the token."""
        tokens.append(run.token)

    def nested(parent: Token) -> CallRequest:
        return CallRequest(call_id="c2", name="keep", arguments="{}", parent=parent)

    async with ToolRuntime([keep]) as runtime, ToolRuntime([keep]) as other:
        await runtime.execute("keep", {})
        for pipeline in (runtime.services.pipeline, other.services.pipeline):
            for token in (tokens[0], Token()):
                with pytest.raises(TokenError):
                    await pipeline.execute(nested(token))
    assert len(tokens) == 1
