"""Deferrals outlive their process: taken up from the log alone, and once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from codemode import ToolRuntime, tool
from codemode.runtime.audit import verify
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import Execution
from codemode.runtime.log import Redactor, open_store, read_events
from codemode.runtime.loop import ScriptedModel, call
from codemode.runtime.loop.messages import AssistantMessage
from codemode.runtime.policy import Defer, Deny
from codemode.runtime.result import Result

pytestmark = pytest.mark.anyio


def _tonight(execution: Execution) -> Defer:
    return Defer("tonight")


class House:
    """Processes of one host, one after another, on one log."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.published: list[str] = []
        self.handles: list[str] = []

        @tool(effects={"write"})
        async def publish(text: str) -> str:
            """Publish."""
            self.published.append(text)
            return text

        self.publish = publish

    def process(self, *policies: Any, **options: Any) -> ToolRuntime:
        """A process whose policy defers, unless it is given others."""

        def keep(execution: Execution, result: Result) -> None:
            if result.defer_handle is not None:
                self.handles.append(result.defer_handle)

        chosen: tuple[Any, ...] = policies or (_tonight,)
        return ToolRuntime(
            [self.publish], log=self.log, policies=chosen, observers=[keep], **options
        )

    async def defer(self, text: str, **options: Any) -> str:
        """A process that defers one call and ends; gives the handle."""
        model = ScriptedModel(
            [AssistantMessage.of("", call("publish", text=text)), AssistantMessage.of("later")]
        )
        async with self.process(**options) as runtime, runtime.agent(model) as agent:
            await agent.run("publish it")
        return self.handles[-1]


@pytest.fixture(params=["log.sqlite", "log.jsonl"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> House:
    return House(tmp_path / request.param)


@pytest.mark.spec("PIPELINE 6.15")
async def test_a_deferral_is_taken_up_in_a_new_process_from_the_log_and_once(house: House) -> None:
    handle = await house.defer("news")
    async with house.process() as runtime:
        taken = await runtime.resume_deferred(handle)
        assert (taken.value, taken.deferred_from) == ("news", handle)
        with pytest.raises(MisuseError, match="taken up already"):
            await runtime.resume_deferred(handle)
    async with house.process() as runtime:
        with pytest.raises(MisuseError, match="taken up already"):
            await runtime.resume_deferred(handle)
        with pytest.raises(MisuseError, match="no deferral is waiting"):
            await runtime.resume_deferred("0" * 32)
    assert house.published == ["news"]
    store = open_store(house.log, read_only=True)
    assert verify(store).ok
    calls = [
        e.data for s in store.sessions() for e in read_events(store, s) if e.type == "tool/call"
    ]
    assert [made.get("deferred_from") for made in calls].count(handle) == 1
    store.close()


@pytest.mark.spec("PIPELINE 6.15")
async def test_two_processes_do_not_both_run_a_deferral(house: House) -> None:
    async with house.process() as first:
        await first.execute("publish", {"text": "in memory"})
        handle = await house.defer("news")
        async with house.process() as second:
            results: list[object] = []

            async def take(runtime: ToolRuntime) -> None:
                try:
                    results.append((await runtime.resume_deferred(handle)).value)
                except MisuseError as error:
                    results.append(type(error))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(take, first)
                tasks.start_soon(take, second)
    assert sorted(map(str, results)) == sorted(map(str, ["news", MisuseError]))
    assert house.published == ["news"]


@pytest.mark.spec("PIPELINE 6.15", "PIPELINE 6.4")
async def test_what_is_taken_up_later_meets_the_policies_of_that_time(house: House) -> None:
    handle = await house.defer("news")
    async with house.process(lambda execution: Deny("not any more")) as runtime:
        assert (await runtime.resume_deferred(handle)).code == "DENIED"
        with pytest.raises(MisuseError, match="taken up already"):
            await runtime.resume_deferred(handle)
    assert house.published == []


@pytest.mark.spec("PIPELINE 6.15", "PIPELINE 4.1")
async def test_the_host_says_in_which_scope_an_old_deferral_is_run(house: House) -> None:
    seen: list[str] = []

    def watch(execution: Execution) -> None:
        seen.append(execution.scope.name)

    handle = await house.defer("news")
    async with house.process(watch) as runtime:
        agent = runtime.scope("agent")
        assert not (await runtime.resume_deferred(handle, scope=agent)).is_error
    assert seen == ["agent"]


@pytest.mark.spec("PIPELINE 6.15", "CODE_MODE 6.7", "CODE_MODE 6.4")
@pytest.mark.parametrize("how", ["redacted", "too large"])
async def test_a_deferral_whose_arguments_are_not_whole_in_the_log_is_refused(
    how: str, house: House
) -> None:
    def hide(kind: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"effective_arguments": {"text": "***"}} if kind == "tool/deferred" else {}

    text = "secret" if how == "redacted" else "x" * 100_000
    options = {"redact": Redactor(hide)} if how == "redacted" else {}
    handle = await house.defer(text, **options)
    async with house.process() as runtime:
        with pytest.raises(MisuseError, match="whole"):
            await runtime.resume_deferred(handle)
    assert house.published == []
