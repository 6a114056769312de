"""An interrupted program goes on where it stopped: with what it had, and nothing done twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from interrupted import AFTER, Host
from replaying import Case

from codemode import tool
from codemode.runtime.approval import ApprovalOutcome, ApprovalRequest
from codemode.runtime.audit.verify import verify
from codemode.runtime.cancellation import CancelSource
from codemode.runtime.content import plain_text
from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import Execution
from codemode.runtime.log import COMMON_SECRETS, Redactor, open_store, read_events
from codemode.runtime.policy import Ask, Defer
from codemode.runtime.resumption import ResumeRefusedError
from codemode.sandbox.program import Outcome

pytestmark = [pytest.mark.anyio, pytest.mark.spec("AUDIT 3.4")]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


STEPS = """
import random, time, uuid
began = time.time()
first = tools.write(text="first")
token = uuid.uuid4().hex
print(first, tools.look(name="seen"))
tools.look(name="stop")
print(tools.write(text="second"))
{"token": token, "random": random.random(), "later": time.time() - began < 60}
"""


async def test_what_a_program_had_is_not_done_again(host: Host) -> None:
    call_id = await host.interrupted(STEPS)
    assert host.done == ["first"]
    result = await host.resumed(call_id)
    assert not result.is_error, result.text
    assert host.done == ["first", "second"]
    assert host.seen == ["seen", "stop", "stop"], "a reading call without an answer is made again"
    assert "wrote first {'name': 'seen', 'b': 1, 'a': [None, 1.5]}" in result.text
    assert "wrote second" in result.text


async def test_the_log_says_what_was_resumed_from_what(host: Host) -> None:
    call_id = await host.interrupted(STEPS)
    result = await host.resumed(call_id)
    store = open_store(host.case.log, read_only=True)
    try:
        starts = {
            event.data["call_id"]: (session, event.data)
            for session in store.sessions()
            for event in read_events(store, session)
            if event.type == "tool/code-run-start"
        }
        session, first = starts[call_id]
        _, second = starts[result.call_id]
        assert "resumed_from" not in first
        origin = dict(second["resumed_from"])
        assert len(origin.pop("journal_sha256")) == 64
        assert origin == {
            "session": session,
            "call_id": call_id,
            "restored": 2,
            "answered": [],
            "answers_sha256": [],
            "repeated": [],
        }
        assert (second["seed"], second["clock"]) == (first["seed"], first["clock"])
        report = verify(store)
        assert report.ok, report.faults
    finally:
        store.close()


async def test_a_wish_to_conclude_the_turn_comes_again_and_messages_are_counted(host: Host) -> None:
    code = 'tools.publish(text="a")\ntools.look(name="stop")\ntools.publish(text="b")\n'
    result = await host.resumed(await host.interrupted(code + 'print("end")'))
    assert (result.is_error, result.concludes_turn, host.done) == (False, True, ["a", "b"])
    texts = [plain_text(one.content) for one in result.contexts]
    assert texts == [
        "Calls that the program had made before it was interrupted left 1 message for you, which"
        " cannot be shown again.",
        "b is out",
    ]


async def test_a_failed_program_concludes_nothing_that_an_earlier_one_wished(host: Host) -> None:
    code = 'tools.publish(text="a")\ntools.look(name="stop")\nraise ValueError("no")\n'
    result = await host.resumed(await host.interrupted(code))
    assert (result.is_error, result.concludes_turn) == (True, False)
    assert [one.source for one in result.contexts] == ["code_mode"]


async def test_a_resumed_run_replays_as_one(host: Host) -> None:
    result = await host.resumed(await host.interrupted(STEPS))
    replayed = await host.case.replay(result.call_id)
    assert (replayed.verdict, replayed.difference, replayed.calls) == ("identical", None, 4)


async def test_a_run_is_resumed_once_and_then_from_where_that_stopped(host: Host) -> None:
    code = STEPS + 'tools.look(name="stop")\nprint(tools.write(text="third"))\n'
    call_id = await host.interrupted(code)
    host.stop_at, host.stop = 3, CancelSource()
    second = await host.resumed(call_id, signal=host.stop.signal)
    host.stop = None
    assert (second.is_error, host.done) == (True, ["first", "second"])
    with pytest.raises(ResumeRefusedError, match=f"resumed already, as {second.call_id}"):
        await host.resumed(call_id)
    third = await host.resumed(second.call_id)
    assert not third.is_error, third.text
    assert host.done == ["first", "second", "third"]
    assert (await host.case.replay(third.call_id)).verdict == "identical"


async def test_a_call_that_may_have_happened_is_shown_and_not_made_again(host: Host) -> None:
    code = 'print(tools.write(text="a"))\nprint(tools.stuck(text="b"))\nprint("on")\n'
    call_id = await host.interrupted(code)
    with pytest.raises(
        ResumeRefusedError, match=r"- call 2: stuck, line 2 \(\w+ in the log\)"
    ) as e:
        await host.resumed(call_id)
    (unknown,) = e.value.unknown
    assert (unknown.number, unknown.name, unknown.arguments) == (2, "stuck", {"text": "b"})
    assert host.done == ["a", "b"]
    answered = await host.resumed(call_id, answers={2: "stuck b, as the desk says"})
    assert not answered.is_error, answered.text
    assert "stuck b, as the desk says" in answered.text
    assert host.done == ["a", "b"]
    assert (await host.case.replay(answered.call_id)).verdict == "identical"


async def test_an_answer_that_the_tool_cannot_have_given_is_refused(host: Host) -> None:
    call_id = await host.interrupted('tools.stuck(text="b")')
    with pytest.raises(MisuseError, match="by the output schema of stuck: /: "):
        await host.resumed(call_id, answers={1: ["stuck b"]})
    assert not (await host.resumed(call_id, answers={1: "stuck b"})).is_error


async def test_a_call_that_did_not_happen_is_made_at_the_hosts_word(host: Host) -> None:
    call_id = await host.interrupted('tools.stuck(text="b")')
    result = await host.resumed(call_id, repeat=[1])
    assert not result.is_error, result.text
    assert host.done == ["b", "b"]


async def test_answers_that_are_no_dict_are_refused(host: Host) -> None:
    call_id = await host.interrupted(STEPS)
    wrong: Any = ["done"]
    async with host.life() as runtime:
        with pytest.raises(MisuseError, match="answers takes a dict by the numbers of calls"):
            await runtime.resume(call_id, answers=wrong)


async def test_an_answer_for_another_call_is_refused(host: Host) -> None:
    call_id = await host.interrupted('tools.stuck(text="b")')
    with pytest.raises(MisuseError, match="call 7 waits for no answer; those that do: 1"):
        await host.resumed(call_id, answers={7: None})
    with pytest.raises(MisuseError, match="choose one"):
        await host.resumed(call_id, answers={1: None}, repeat=[1])
    with pytest.raises(MisuseError, match="the answer of call 1 is not JSON"):
        await host.resumed(call_id, answers={1: object()})
    assert host.done == ["b"]


async def test_what_overlapped_goes_on_overlapping(host: Host) -> None:
    code = """
import asyncio
async def main():
    try:
        async with asyncio.timeout(30):
            print(await asyncio.gather(
                tools.look(name="x"), tools.look(name="stop"), asyncio.sleep(0.01, "slept"),
            ))
    except TimeoutError:
        print("the outage was counted")
asyncio.run(main())
"""
    call_id = await host.interrupted(code)
    result = await host.resumed(call_id)
    assert not result.is_error, result.text
    assert "slept" in result.text
    assert "the outage" not in result.text


async def test_a_call_that_the_program_had_cancelled_stays_cancelled(host: Host) -> None:
    code = """
import asyncio
async def main():
    task = asyncio.create_task(tools.look(name="slow"))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")
    await tools.look(name="stop")
asyncio.run(main())
"""
    call_id = await host.interrupted(code)
    host.seen.clear()
    result = await host.resumed(call_id)
    assert not result.is_error, result.text
    assert "cancelled" in result.text
    assert host.seen == ["stop"]


async def test_files_come_with_it_and_go_back(host: Host) -> None:
    code = """
rows = open("in.csv").read().splitlines()
tools.look(name="stop")
open("out.txt", "w").write(",".join(rows))
len(rows)
"""
    call_id = await host.interrupted(code, files={"in.csv": b"a\nb\n"}, artifacts=("*.txt",))
    outcomes: list[Outcome] = []
    result = await host.resumed(call_id, on_outcome=outcomes.append)
    assert not result.is_error, result.text
    assert outcomes[0].artifacts == {"out.txt": b"a,b"}


class Desk:
    """An approval channel that nobody answers in the first life."""

    def __init__(self, stop: CancelSource | None) -> None:
        self.stop = stop
        self.asked: list[ApprovalRequest] = []

    async def ask(self, request: ApprovalRequest) -> ApprovalOutcome:
        self.asked.append(request)
        if self.stop is not None:
            self.stop.cancel("the host stops for the night")
            await anyio.sleep_forever()
        return ApprovalOutcome(answer="allowed", by="desk")


def ask_before_writing(execution: Execution) -> Ask | None:
    return Ask("it writes") if execution.name == "write" else None


async def test_a_question_that_took_days_is_asked_again(host: Host) -> None:
    stop = CancelSource()
    host.options.update(policies=[ask_before_writing], approval=Desk(stop))
    async with host.life() as runtime:
        first = await runtime.run_code(
            'print(tools.look(name="x"))\nprint(tools.write(text="y"))', signal=stop.signal
        )
    assert (first.is_error, host.done) == (True, [])
    desk = host.options["approval"] = Desk(None)
    result = await host.resumed(first.call_id)
    assert not result.is_error, result.text
    assert [request.line for request in desk.asked] == [2]
    assert (host.done, host.seen) == (["y"], ["x"])


async def test_a_failure_says_what_the_earlier_run_did(host: Host) -> None:
    call_id = await host.interrupted(
        'tools.write(text="a")\ntools.look(name="stop")\ntools.write(text="b")\n1 / 0\n'
    )
    result = await host.resumed(call_id)
    assert result.is_error
    assert "ZeroDivisionError" in result.text
    assert "- call 1: write (completed)\n- call 3: write (completed)" in result.text


async def test_what_came_to_its_end_is_not_resumed(host: Host) -> None:
    async with host.life() as runtime:
        good = await runtime.run_code("print(1)")
        bad = await runtime.run_code("1 / 0")
        with pytest.raises(ResumeRefusedError, match="came to its end: it succeeded"):
            await runtime.resume(good.call_id)
        with pytest.raises(ResumeRefusedError, match=r"came to its end: it failed \(exception\)"):
            await runtime.resume(bad.call_id)
        with pytest.raises(ResumeRefusedError, match="has no run of a call call_x"):
            await runtime.resume("call_x")


async def test_a_run_that_goes_on_is_not_resumed(host: Host) -> None:
    refusals: list[str] = []
    async with host.life() as runtime:
        ids: list[str] = []

        @tool(effects={"read"})
        async def now() -> None:
            """Try to resume the run that calls it."""
            store = runtime.services.store
            assert store is not None
            for session in store.sessions():
                found = [e for e in read_events(store, session) if e.type == "tool/code-run-start"]
                ids.extend(str(event.data["call_id"]) for event in found)
            try:
                await runtime.resume(ids[0])
            except ResumeRefusedError as refusal:
                refusals.append(str(refusal))

        runtime.registry.register(now)
        result = await runtime.run_code("import time\ntime.sleep(0.05)\ntools.now()")
        assert not result.is_error, result.text
    assert [text.partition(":")[0] for text in refusals] == ["its session is still open"]


async def test_without_a_full_journal_nothing_is_resumed(host: Host) -> None:
    call_id = await host.interrupted(STEPS)
    for journal in ("off", "digest"):
        host.options["journal"] = journal
        with pytest.raises(MisuseError, match="journal='full'"):
            await host.resumed(call_id)
    host.options.update(journal="full", journal_file=host.case.log.with_name("other"))
    with pytest.raises(ResumeRefusedError, match="was journaled, but not in this journal"):
        await host.resumed(call_id)


async def test_what_was_redacted_cannot_be_resumed(host: Host) -> None:
    host.options["redact"] = Redactor(COMMON_SECRETS)
    secret = "ghp_" + "a" * 36
    call_id = await host.interrupted(
        f'tools.write(text="{secret}"[:4] + "a" * 36)\ntools.look(name="stop")'
    )
    with pytest.raises(ResumeRefusedError, match="redacted"):
        await host.resumed(call_id)


async def test_other_tools_are_not_the_same_run(host: Host) -> None:
    call_id = await host.interrupted(STEPS)
    async with host.life() as runtime:

        @tool(effects={"read"})
        async def another() -> None:
            """Not there before."""

        runtime.registry.register(another)
        result = await runtime.resume(call_id)
    assert result.is_error
    assert "what the program may call has changed since then: new: tools.another" in result.text
    assert host.done == ["first"]
    assert not (await host.resumed(call_id)).is_error, "nothing ran, so it can be resumed still"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE entry SET value = '\"wrote nothing\"' WHERE kind = 'reply'", "was changed"),
        ("DELETE FROM entry WHERE number = 2", "was taken out"),
        ("UPDATE entry SET kind = 'tick' WHERE kind = 'reply'", "do not give the digest"),
    ],
)
async def test_a_changed_journal_is_not_believed(host: Host, statement: str, reason: str) -> None:
    call_id = await host.interrupted(STEPS)
    with closing(sqlite3.connect(host.case.journal)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(ResumeRefusedError, match=reason):
        await host.resumed(call_id)
    assert host.done == ["first"]


AGAIN = """
print(tools.write(text="a"))
print(tools.write(text="b"))
tools.look(name="stop")
print(tools.write(text="c"))
"""


async def test_a_resumption_that_stops_within_the_record_does_not_count(host: Host) -> None:
    call_id = await host.interrupted(AGAIN)
    stop = CancelSource()
    second = await host.resumed(
        call_id, signal=stop.signal, on_output=lambda entry: stop.cancel("enough")
    )
    assert (second.is_error, host.done) == (True, ["a", "b"])
    with pytest.raises(ResumeRefusedError, match=f"the run {call_id} of s_.*: resume that one"):
        await host.resumed(second.call_id)
    third = await host.resumed(call_id)
    assert not third.is_error, third.text
    assert host.done == ["a", "b", "c"], "what the first run did is done once"
    with pytest.raises(ResumeRefusedError, match=f"resumed already, as {third.call_id}"):
        await host.resumed(call_id)


async def test_a_resumption_has_the_whole_record_once_it_does_something_of_its_own(
    host: Host,
) -> None:
    call_id = await host.interrupted(AGAIN.replace('print(tools.write(text="c"))', "tools.die()"))
    result = await host.resumed(call_id)
    host.case = Case(host.case.log.parent / AFTER)
    third = await host.resumed(result.call_id, answers={4: None})
    assert not third.is_error, third.text
    assert host.done == ["a", "b"]


async def test_a_resumed_run_is_not_put_off(host: Host) -> None:
    call_id = await host.interrupted(AGAIN)

    def tonight(execution: Execution) -> Defer | None:
        return Defer("tonight") if execution.name == "run_code" else None

    async with host.life(policies=[tonight]) as runtime:
        result = await runtime.resume(call_id)
        assert (result.code, result.defer_handle) == ("DENIED", None)
        assert "this call cannot be deferred: tonight" in result.text
    assert not (await host.resumed(call_id)).is_error
    assert host.done == ["a", "b", "c"], "from its beginning it would do everything again"


async def test_what_the_host_said_stays_said(host: Host) -> None:
    code = 'print(tools.stuck(text="a"))\ntools.look(name="stop")\ntools.write(text="b")\n1 / 0\n'
    call_id = await host.interrupted(code)
    host.stop = CancelSource()
    second = await host.resumed(call_id, answers={1: "said"}, signal=host.stop.signal)
    host.stop = None
    assert (second.is_error, host.done) == (True, ["a"])
    third = await host.resumed(second.call_id)
    assert "- call 1: stuck (completed)\n- call 3: write (completed)" in third.text
    assert host.done == ["a", "b"]


async def test_arguments_that_the_log_shortens_are_compared_whole(host: Host) -> None:
    call_id = await host.interrupted('print(len(tools.stuck(text="x" * 100_000)))')
    with pytest.raises(ResumeRefusedError) as refusal:
        await host.resumed(call_id)
    assert [call.number for call in refusal.value.unknown] == [1]
    result = await host.resumed(call_id, answers={1: "y" * 100_000})
    assert not result.is_error, result.text
    assert "100000" in result.text
