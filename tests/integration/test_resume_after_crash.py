"""A host that was killed anywhere in a run goes on with it, and no side effect happens twice.

It is killed before and after each record of its log, and after each side effect. Then another host
resumes the run. Where that is refused, the test looks into the tools' own file, as a person would,
and says of each call that is asked about whether it happened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import anyio
import pytest
from crashing_host import PROGRAM_EFFECTS, Nursery, Plan, When, nursery, surviving_runtime

from codemode import ToolRuntime
from codemode.runtime.audit import verify
from codemode.runtime.log import open_store, read_events
from codemode.runtime.log.canonical import encode, sha256_of
from codemode.runtime.log.journal import journal_path
from codemode.runtime.result import Result
from codemode.runtime.resumption import ResumeRefusedError

pytestmark = pytest.mark.spec("AUDIT 3.4")


@pytest.fixture(scope="module")
def hosts() -> Iterator[Nursery]:
    with nursery() as hosts:
        yield hosts


def effects_of(plan: Plan) -> list[str]:
    return [line.split()[1] for line in Path(plan.effects).read_text().splitlines()]


def run_of(plan: Plan) -> tuple[str, bool] | None:
    """The call whose program had begun, if the log has it, and whether it has its result."""
    store = open_store(plan.log)
    try:
        events = [e for session in store.sessions() for e in read_events(store, session)]
    finally:
        store.close()
    started = [str(e.data["call_id"]) for e in events if e.type == "tool/code-run-start"]
    has_result = any(e.type == "tool/result" for e in events)
    return (started[0], has_result) if started else None


async def resume(runtime: ToolRuntime, plan: Plan, call_id: str) -> tuple[Result, int]:
    """Resume it, with answers where they are asked for; gives how many were."""
    try:
        return await runtime.resume(call_id), 0
    except ResumeRefusedError as error:
        refusal = error
    assert refusal.unknown, refusal
    happened = effects_of(plan)
    answers: dict[int, str] = {}
    repeat: list[int] = []
    for call in refusal.unknown:
        assert isinstance(call.arguments, dict)
        text = str(call.arguments["text"])
        assert f"call {call.number}: {call.name}" in str(refusal)
        if text in happened:
            answers[call.number] = text
        else:
            repeat.append(call.number)
    result = await runtime.resume(call_id, answers=answers, repeat=repeat)
    return result, len(refusal.unknown)


def die_and_resume(
    hosts: Nursery, folder: Path, *, when: When, is_jailed: bool = False
) -> tuple[int, int]:
    """Kill a host at each point, and resume each time; gives how many, and what was asked."""
    asked = 0
    for at in count(1):
        home = folder / str(at)
        home.mkdir()
        plan = Plan(
            when=when,
            at=at,
            owner="run_code",
            log=str(home / "log.sqlite"),
            effects=str(home / "effects"),
            is_jailed=is_jailed,
            is_journaled=True,
        )
        life = hosts.live(plan)
        if life.has_got_through:
            return at - 1, asked

        run = run_of(plan)
        if run is None:
            continue  # the program had not begun

        async def go_on(plan: Plan = plan, run: tuple[str, bool] = run) -> int:
            call_id, has_result = run
            questions = 0
            async with surviving_runtime(plan) as runtime:
                if has_result:
                    with pytest.raises(ResumeRefusedError, match="came to its end: it succeeded"):
                        await runtime.resume(call_id)
                else:
                    result, questions = await resume(runtime, plan, call_id)
                    assert not result.is_error, result.text
            assert sorted(effects_of(plan)) == sorted(PROGRAM_EFFECTS)
            return questions

        asked += anyio.run(go_on)
        store = open_store(plan.log)
        try:
            report = verify(store, strict=True)
            assert report.ok, report.faults
        finally:
            store.close()
    raise AssertionError


@pytest.mark.parametrize("when", ["before", "after", "effect"])
def test_a_killed_run_is_resumed_from_every_point(
    hosts: Nursery, tmp_path: Path, when: When
) -> None:
    points, asked = die_and_resume(hosts, tmp_path, when=when)
    assert points >= (len(PROGRAM_EFFECTS) if when == "effect" else 12)
    assert asked, "no kill met a call that may have happened"


def test_a_forged_answer_is_found_without_the_end_of_the_chain(
    hosts: Nursery, tmp_path: Path
) -> None:
    plan = Plan(
        when="effect",
        at=3,
        owner="run_code",
        log=str(tmp_path / "log.sqlite"),
        effects=str(tmp_path / "effects"),
        is_journaled=True,
    )
    hosts.live(plan)
    run = run_of(plan)
    assert run is not None
    with closing(sqlite3.connect(journal_path(Path(plan.log)))) as journal, journal:
        forged = "forged"
        changed = journal.execute(
            "UPDATE entry SET value = ?, digest = ? WHERE kind = 'reply' AND subject = 1",
            (encode(forged), sha256_of(forged)),
        )
        assert changed.rowcount == 1

    async def refused() -> None:
        async with surviving_runtime(plan) as runtime:
            with pytest.raises(ResumeRefusedError, match="another answer to call 1 than the log"):
                await runtime.resume(run[0])

    anyio.run(refused)


def test_a_real_guest_is_resumed_after_each_side_effect(hosts: Nursery, tmp_path: Path) -> None:
    points, asked = die_and_resume(hosts, tmp_path, when="effect", is_jailed=True)
    assert points == len(PROGRAM_EFFECTS)
    assert asked >= points, "a host that dies in a body cannot know that it has returned"
