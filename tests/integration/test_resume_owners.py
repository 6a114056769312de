"""Whoever owned an interrupted run, and whoever wants to go on with it: once, under the same rules."""

from __future__ import annotations

import re
from pathlib import Path

import anyio
import pytest
from interrupted import Host
from loop_harness import scripted

from codemode.runtime.audit import render_html, verify
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.log import open_store
from codemode.runtime.log.signing import KeySigner
from codemode.runtime.loop import call
from codemode.runtime.result import Result
from codemode.runtime.resumption import ResumeRefusedError

pytestmark = [pytest.mark.anyio, pytest.mark.spec("AUDIT 3.4")]

CODE = 'print(tools.write(text="a"))\ntools.look(name="stop")\nprint(tools.write(text="b"))\n'


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


async def test_of_two_that_resume_at_once_one_is_refused(host: Host) -> None:
    call_id = await host.interrupted(CODE)
    results: list[Result] = []
    refusals: list[str] = []
    async with host.life() as one, host.life() as another:

        async def resume(in_life: int) -> None:
            try:
                results.append(await (one, another)[in_life].resume(call_id))
            except ResumeRefusedError as refusal:
                refusals.append(str(refusal))

        async with anyio.create_task_group() as tasks:
            for in_life in (0, 0, 1):
                tasks.start_soon(resume, in_life)
    (result,) = results
    assert not result.is_error, result.text
    assert host.done == ["a", "b"]
    assert len(refusals) == 2
    assert all("resumed already" in refusal for refusal in refusals)


async def test_a_run_of_an_agent_s_is_resumed_by_its_host(host: Host) -> None:
    host.stop = CancelSource()
    model = scripted([call("run_code", code=CODE)])
    async with host.life() as runtime, runtime.agent(model) as agent:
        outcome = await agent.run("go", signal=host.stop.signal)
    host.stop = None
    (result,) = outcome.results
    assert result.is_error
    session = open_store(host.case.log, read_only=True)
    try:
        (name,) = session.sessions()
    finally:
        session.close()
    resumed = await host.resumed(result.call_id, session=name)
    assert not resumed.is_error, resumed.text
    assert host.done == ["a", "b"]


async def test_a_run_of_a_scope_goes_on_in_that_scope_alone(host: Host) -> None:
    host.stop = CancelSource()
    async with host.life() as runtime:
        scope = runtime.scope("narrow")
        scope.restrict(allow=["write", "look"])
        first = await runtime.run_code(CODE, scope=scope, signal=host.stop.signal)
    host.stop = None
    async with host.life() as runtime:
        wide = await runtime.resume(first.call_id)
        assert "what the program may call has changed" in wide.text
        scope = runtime.scope("narrow")
        scope.restrict(allow=["write", "look"])
        result = await runtime.resume(first.call_id, scope=scope)
    assert not result.is_error, result.text
    assert host.done == ["a", "b"]


async def test_a_call_as_the_model_made_it_is_resumed_too(host: Host) -> None:
    host.stop = CancelSource()
    async with host.life() as runtime:
        first = await runtime.call("run_code", {"code": CODE}, signal=host.stop.signal)
    host.stop = None
    result = await host.resumed(first.call_id)
    assert not result.is_error, result.text


async def test_a_signed_log_of_both_lives_verifies_strictly(host: Host) -> None:
    pytest.importorskip("cryptography")
    signer = KeySigner.from_bytes(b"k" * 32)
    host.options["signer"] = signer
    result = await host.resumed(
        await host.killed(
            'tools.write(text="a")\ntools.die()\n',
        ),
        repeat=[2],
    )
    assert not result.is_error, result.text
    store = open_store(host.case.log, read_only=True)
    try:
        report = verify(store, strict=True, public_key=signer.public_key)
        assert report.ok, report.faults
        assert "resumed from" in render_html(store)
    finally:
        store.close()


async def test_a_resumption_whose_caller_leaves_is_resumed_again(host: Host) -> None:
    call_id = await host.interrupted(CODE)
    host.stop_at, host.stop = 2, CancelSource()
    async with host.life() as runtime, anyio.create_task_group() as tasks:
        tasks.start_soon(runtime.resume, call_id)
        with anyio.fail_after(10):
            while host.seen.count("stop") < 2:
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    host.stop = None
    assert host.done == ["a"]
    with pytest.raises(ResumeRefusedError, match="resumed already") as refusal:
        await host.resumed(call_id)
    (second,) = re.findall(r"as (call_[0-9a-f]+)", str(refusal.value))
    result = await host.resumed(second)
    assert not result.is_error, result.text
    assert host.done == ["a", "b"]
