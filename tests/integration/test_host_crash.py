"""Killing a whole host at any point loses nothing that it was told to be durable.

A host with a real runtime, log and tools that write to a file of their own is killed by SIGKILL
before and after each record of its log, and after each side effect: a loop over n until a host gets
through, so that no boundary is left out. What it leaves behind is then opened, judged and repaired.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import anyio
import pytest
from crashing_host import PROGRAM_EFFECTS, Life, Nursery, OwnerKind, Plan, When, nursery

from codemode.runtime.audit import verify
from codemode.runtime.log import EventStore, open_store, read_events
from codemode.runtime.log.events import Event
from codemode.runtime.log.repair import repair

#: The effects of a host that gets through.
EFFECTS: dict[OwnerKind, set[str]] = {
    "loop": {*PROGRAM_EFFECTS, "first", "second", "last", "again"},
    "run_code": {*PROGRAM_EFFECTS},
    "deferral": {"deferred"},
}


@pytest.fixture(scope="module")
def hosts() -> Iterator[Nursery]:
    with nursery() as hosts:
        yield hosts


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The calls of a log: who has begun, and how who ended."""

    begun: set[str]
    outcomes: dict[str, str]

    @classmethod
    def of(cls, store: EventStore) -> Calls:
        events: list[Event] = []
        for session in store.sessions():
            events += read_events(store, session)
        begun = [_id(e) for e in events if e.type in ("tool/call", "tool/code-dispatch-start")]
        settled = [e for e in events if e.type in ("tool/result", "tool/code-dispatch")]
        assert len(begun) == len(set(begun))
        assert len(settled) == len({_id(event) for event in settled}), "settled twice"
        return cls(begun=set(begun), outcomes={_id(e): _outcome(e) for e in settled})


def _id(event: Event) -> str:
    return str(event.data.get("sub_call_id") or event.data["call_id"])


def _outcome(event: Event) -> str:
    """In the words of nested calls, for top-level ones too."""
    if event.type == "tool/code-dispatch":
        return str(event.data["outcome"])
    info: dict[str, object] = event.data.get("error_info") or {}
    code = info.get("code")
    assert code in (None, "UNKNOWN_OUTCOME", "DEFERRED"), event.data["content"]
    return {None: "ok", "DEFERRED": "deferred"}.get(code, "unknown")


def check(plan: Plan, life: Life) -> None:
    """What the host left: whole, true, and settled by appending."""
    effects = [line.split() for line in Path(plan.effects).read_text().splitlines()]
    store = open_store(plan.log)
    try:
        found = {session: list(store.read(session)) for session in store.sessions()}
        for session, seq in life.acknowledged.items():
            assert len(found.get(session, ())) >= seq, "an acknowledged event is lost"
        if found:
            report = verify(store)
            assert not report.faults, report.faults
        before = Calls.of(store)
        _agree(before, effects)
        for session in found:
            anyio.run(repair, store, session)
        for session, records in found.items():
            assert list(store.read(session))[: len(records)] == records, "repair has rewritten"
        after = Calls.of(store)
        if found:
            report = verify(store, strict=True)
            assert report.ok, report.faults
            assert all(session.is_closed for session in report.sessions)
    finally:
        store.close()
    assert after.begun == before.begun
    left_open = before.begun - before.outcomes.keys()
    assert after.outcomes == {**before.outcomes, **dict.fromkeys(left_open, "unknown")}
    assert not (life.has_got_through and left_open)


def _agree(calls: Calls, effects: list[list[str]]) -> None:
    """The log and the tools' own file tell one story."""
    happened = {call_id for call_id, _ in effects}
    assert len(happened) == len(effects), "a call took effect twice"
    assert happened <= calls.begun, "an effect has no start in the log"
    for call_id, outcome in calls.outcomes.items():
        if outcome in ("denied", "deferred"):
            assert call_id not in happened, f"{call_id} is {outcome} and took effect"


def die_everywhere(
    hosts: Nursery,
    folder: Path,
    *,
    when: When,
    owner: OwnerKind,
    log: str,
    is_jailed: bool = False,
) -> int:
    """Kill a host at the first point, the second, ... until one gets through; gives how many."""
    for at in count(1):
        home = folder / str(at)
        home.mkdir()
        plan = Plan(
            when=when,
            at=at,
            owner=owner,
            log=str(home / log),
            effects=str(home / "effects"),
            is_jailed=is_jailed,
        )
        life = hosts.live(plan)
        if not Path(plan.effects).exists():
            Path(plan.effects).touch()
        check(plan, life)
        if life.has_got_through:
            texts = [line.split()[1] for line in Path(plan.effects).read_text().splitlines()]
            assert sorted(texts) == sorted(EFFECTS[owner])
            return at - 1
    raise AssertionError


#: Fewer points than this were no test of every boundary.
LEAST: dict[OwnerKind, int] = {"loop": 40, "run_code": 15, "deferral": 15}


@pytest.mark.spec("AUDIT 1.4", "CODE_MODE 6.8", "PIPELINE 11.1", "PIPELINE 14.3")
@pytest.mark.parametrize(("when", "log"), [("before", "log.sqlite"), ("after", "log.jsonl")])
@pytest.mark.parametrize("owner", ["loop", "run_code", "deferral"])
def test_a_host_that_is_killed_around_any_record_leaves_a_log_that_is_true(
    hosts: Nursery, tmp_path: Path, owner: OwnerKind, when: When, log: str
) -> None:
    points = die_everywhere(hosts, tmp_path, when=when, owner=owner, log=log)
    assert points >= LEAST[owner]


@pytest.mark.spec("AUDIT 1.4", "CODE_MODE 6.8")
@pytest.mark.parametrize("log", ["log.sqlite", "log.jsonl"])
@pytest.mark.parametrize("owner", ["loop", "run_code", "deferral"])
def test_a_host_that_is_killed_after_any_side_effect_has_its_start_in_the_log(
    hosts: Nursery, tmp_path: Path, owner: OwnerKind, log: str
) -> None:
    points = die_everywhere(hosts, tmp_path, when="effect", owner=owner, log=log)
    assert points == len(EFFECTS[owner])


@pytest.mark.spec("AUDIT 1.4", "CODE_MODE 6.8", "SANDBOX 1.8")
@pytest.mark.parametrize(("when", "log"), [("after", "log.sqlite"), ("effect", "log.jsonl")])
def test_the_same_holds_while_programs_run_in_real_guests(
    hosts: Nursery, tmp_path: Path, when: When, log: str
) -> None:
    points = die_everywhere(hosts, tmp_path, when=when, owner="run_code", log=log, is_jailed=True)
    assert points >= len(PROGRAM_EFFECTS)
