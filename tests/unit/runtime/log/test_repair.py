"""Repair: a dead writer's open ends are settled by appending."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from codemode.runtime.audit import verify
from codemode.runtime.log import (
    EventStore,
    Record,
    SessionBusyError,
    SessionLog,
    SessionNotFoundError,
    chain,
    open_store,
)
from codemode.runtime.log.repair import repair
from codemode.runtime.log.stores.memory import MemoryStore

pytestmark = pytest.mark.anyio

NESTED = {"root_call_id": "c1", "parent_call_id": "c1"}


def events() -> list[tuple[str, dict[str, Any]]]:
    usage = {
        "wall_s": 0.1, "cpu_s": 0.1, "peak_memory_bytes": 1, "waiting_s": 0.0,
        "sub_calls": {"ok": 2}, "bytes_in": 1, "bytes_out": 1,
    }  # fmt: skip

    def start(n: int) -> tuple[str, dict[str, Any]]:
        sub_call_id, arguments = f"c1:code:{n}", dict[str, Any]()
        data = {**NESTED, "sub_call_id": sub_call_id, "name": "t", "arguments": arguments}
        return "tool/code-dispatch-start", data

    def settled(n: int) -> tuple[str, dict[str, Any]]:
        data = {**NESTED, "sub_call_id": f"c1:code:{n}", "name": "t"}
        return "tool/code-dispatch", {**data, "outcome": "ok", "is_error": False}

    return [
        ("turn/open", {}),
        ("tool/call", {"call_id": "c1", "name": "run_code", "arguments": "{}"}),
        ("tool/code-run-start", {"call_id": "c1", "program": "", "isolation": {}, "limits": {}}),
        start(1),
        ("hook/invoked", {"hook_id": "h", "hook": "p", "stage": "pre", "call_id": "c1:code:1"}),
        ("hook/result", {"hook_id": "h", "hook": "p", "stage": "pre", "outcome": "allow"}),
        start(2),
        ("approval/asked", {"approval_id": "a", "call_id": "c1:code:2", "name": "t"}),
        settled(1),
        ("approval/decided", {"approval_id": "a", "call_id": "c1:code:2", "outcome": "allowed"}),
        settled(2),
        ("tool/code-run", {"call_id": "c1", "outcome": "ok", "usage": usage}),
        ("tool/result", {"call_id": "c1", "is_error": False, "content": "x"}),
        ("turn/close", {}),
    ]


async def crashed_after(count: int) -> MemoryStore:
    """A store with the first `count` events of a session, and no writer."""
    whole = MemoryStore()
    async with SessionLog(whole, "s") as log:
        for kind, data in events():
            log.emit(kind, data, turn=1)
    store = MemoryStore()
    store.append(list(whole.read("s"))[:count])
    return store


@pytest.mark.spec("AUDIT 1.4", "CODE_MODE 6.8")
@pytest.mark.parametrize("count", range(1, 16))
async def test_a_log_cut_anywhere_is_whole_after_repair(count: int) -> None:
    store = await crashed_after(count)
    before = list(store.read("s"))
    appended = await repair(store, "s")
    assert list(store.read("s"))[:count] == before
    report = verify(store, strict=True)
    assert report.ok, report.faults
    assert report.sessions[0].is_closed
    assert appended[-1].type == "log/repaired"
    assert appended[-1].data["after_seq"] == count


@pytest.mark.spec("CODE_MODE 6.8")
async def test_dangling_starts_settle_as_unknown() -> None:
    store = await crashed_after(9)
    appended = await repair(store, "s")
    settled = [event for event in appended if event.type == "tool/code-dispatch"]
    assert [(e.data["sub_call_id"], e.data["outcome"]) for e in settled] == [
        ("c1:code:1", "unknown"),
        ("c1:code:2", "unknown"),
    ]
    assert appended[-1].data["settled"] == ["c1:code:1", "c1:code:2", "c1"]


async def test_a_session_that_ended_needs_no_repair() -> None:
    store = await crashed_after(99)
    before = list(store.read("s"))
    assert await repair(store, "s") == []
    assert list(store.read("s")) == before


async def test_a_living_writer_is_left_alone(tmp_path: Any) -> None:
    store: EventStore = open_store(tmp_path / "log.sqlite")
    async with SessionLog(store, "s") as log:
        await log.flush()
        with pytest.raises(SessionBusyError):
            await repair(store, "s")
    store.close()


async def test_a_session_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SessionNotFoundError):
        await repair(MemoryStore(), "s")


async def test_events_of_a_newer_version_are_passed_over() -> None:
    store = await crashed_after(5)
    last = store.last("s")
    assert last is not None
    newer = replace(last.event(), seq=6, type="tool/teleport", prev=last.hash)
    body = newer.body()
    store.append([Record("s", 6, newer.type, body, chain.digest(body))])
    appended = await repair(store, "s")
    assert appended[-1].data["settled"] == ["c1:code:1", "c1"]
    assert verify(store).ok
