"""The writing end of a session's log."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from typing_extensions import override

from codemode.runtime.audit import verify
from codemode.runtime.log import (
    Event,
    InvalidEventError,
    KeySigner,
    LogError,
    LogFullError,
    LogUnavailableError,
    Record,
    Redactor,
    SessionBusyError,
    SessionClosedError,
    SessionLog,
    chain,
    open_store,
    read_events,
)
from codemode.runtime.log import session as session_module
from codemode.runtime.log import writer as writer_module
from codemode.runtime.log.preview import MAX_FIELD_BYTES
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.runtime.log.writer import GroupWriter
from codemode.sandbox.values import FrozenDict

pytestmark = pytest.mark.anyio


class GatedStore(MemoryStore):
    """A store whose next commits wait, or fail."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.failure: Exception | None = None
        self.batches: list[int] = []

    @override
    def append(self, records: Sequence[Record]) -> None:
        self.gate.wait(30)
        if self.failure is not None:
            raise self.failure
        super().append(records)
        self.batches.append(len(records))


def ticking() -> Callable[[], datetime]:
    now = datetime(2031, 5, 1, tzinfo=UTC)

    def clock() -> datetime:
        nonlocal now
        now += timedelta(microseconds=1)
        return now

    return clock


@pytest.fixture
async def store() -> AsyncIterator[GatedStore]:
    store = GatedStore()
    yield store
    store.gate.set()


@pytest.mark.spec("AUDIT 1.3", "CODE_MODE 6.10")
async def test_events_are_numbered_timed_and_chained(store: GatedStore) -> None:
    async with SessionLog(store, "s", now=ticking(), meta={"host": "h"}) as log:
        log.emit("turn/open", {}, turn=1)
        made = log.emit("fs/observed", {"path": "é"}, turn=1, step=2)
        log.emit("turn/close", {}, turn=1)
        head, count = log.head, log.seq
    events = list(read_events(store, "s"))
    assert [event.seq for event in events] == [1, 2, 3, 4, 5]
    assert events[0].type == "session/open"
    assert events[0].data["meta"] == {"host": "h"}
    assert events[2] == made
    assert made.time == "2031-05-01T00:00:00.000003Z"
    assert (made.turn, made.step) == (1, 2)
    prev = chain.GENESIS
    for event in events:
        assert event.prev == prev
        assert event.hash == chain.digest(event.body())
        prev = event.hash
    assert events[-1].type == "session/close"
    assert events[-1].data == {"count": count, "head": head}


@pytest.mark.spec("AUDIT 1.4")
async def test_flush_returns_only_when_everything_is_in_the_store(store: GatedStore) -> None:
    log = SessionLog(store, "s")
    await log.flush()
    store.gate.clear()
    log.emit("fs/x", {"n": 1})
    flushed = anyio.Event()

    async def flush() -> None:
        await log.flush()
        flushed.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(flush)
        await anyio.wait_all_tasks_blocked()
        assert not flushed.is_set()
        assert store.last("s") is not None
        assert [event.type for event in read_events(store, "s")] == ["session/open"]
        store.gate.set()
    assert [event.type for event in read_events(store, "s")] == ["session/open", "fs/x"]
    await log.aclose()


@pytest.mark.spec("AUDIT 1.4")
async def test_settlements_are_committed_in_groups(store: GatedStore) -> None:
    log = SessionLog(store, "s")
    await log.flush()
    store.gate.clear()
    for n in range(100):
        log.emit("fs/x", {"n": n})
    store.gate.set()
    await log.flush()
    # At most one group was under way when the gate closed; the rest went together.
    assert len(store.batches) <= 3
    await log.aclose()


@pytest.mark.spec("CODE_MODE 6.11")
async def test_a_lost_event_surfaces_at_the_next_emit_and_at_flush(store: GatedStore) -> None:
    log = SessionLog(store, "s")
    await log.flush()
    store.failure = LogFullError("the disk is full")
    log.emit("fs/x", {})
    with pytest.raises(LogUnavailableError, match="disk is full"):
        await log.flush()
    store.failure = None
    with pytest.raises(LogUnavailableError):
        log.emit("fs/x", {})
    with pytest.raises(LogUnavailableError):
        await log.aclose()
    assert [event.type for event in read_events(store, "s")] == ["session/open"]
    # The session can be taken up again where it was acknowledged.
    async with SessionLog(store, "s") as again:
        assert again.seq == 1


async def test_a_foreign_stores_exception_does_not_kill_the_writer(store: GatedStore) -> None:
    log = SessionLog(store, "s")
    await log.flush()
    store.failure = RuntimeError("boom")
    log.emit("fs/x", {})
    with pytest.raises(LogUnavailableError, match="RuntimeError"):
        await log.flush()
    store.failure = None
    async with SessionLog(store, "t") as other:
        await other.flush()
    with pytest.raises(LogUnavailableError):
        await log.aclose()


async def test_one_sessions_fault_does_not_take_the_others_with_it() -> None:
    class Picky(MemoryStore):
        @override
        def append(self, records: Sequence[Record]) -> None:
            if any(record.type == "fs/poison" for record in records):
                raise LogFullError("poison")
            super().append(records)

    store = Picky()
    bad, good = SessionLog(store, "bad"), SessionLog(store, "good")
    bad.emit("fs/poison", {})
    good.emit("fs/x", {})
    await good.flush()
    with pytest.raises(LogUnavailableError):
        await bad.flush()
    await good.aclose()
    with pytest.raises(LogUnavailableError):
        await bad.aclose()
    assert [event.type for event in read_events(store, "good")][1] == "fs/x"


async def test_a_session_that_lost_events_is_taken_up_again_beside_living_ones(
    store: GatedStore,
) -> None:
    other, log = SessionLog(store, "other"), SessionLog(store, "s")
    await log.flush()
    store.gate.clear()
    store.failure = LogFullError("the disk is full")
    for n in range(50):
        log.emit("fs/x", {"n": n})
    store.gate.set()
    with pytest.raises(LogUnavailableError):
        await log.aclose()
    store.failure = None
    async with SessionLog(store, "s") as again:
        again.emit("fs/y", {})
    kinds = [event.type for event in read_events(store, "s")]
    assert kinds == ["session/open", "fs/y", "session/close"]
    await other.aclose()


async def test_events_of_several_threads_form_one_chain(store: GatedStore) -> None:
    async with SessionLog(store, "s") as log:

        def emit() -> None:
            for n in range(200):
                log.emit("fs/x", {"n": n}, turn=1)

        log.emit("turn/open", {}, turn=1)
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(anyio.to_thread.run_sync, emit)
        log.emit("turn/close", {}, turn=1)
    report = verify(store, strict=True)
    assert report.ok
    assert report.sessions[0].events == 804


@pytest.mark.spec("CODE_MODE 6.11")
async def test_pending_writes_are_bounded(
    store: GatedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "MAX_PENDING", 10)
    log = SessionLog(store, "s")
    await log.flush()
    most = 0
    for n in range(200):
        log.emit("fs/x", {"n": n})
        most = max(most, log.pending[0])
        await log.ready()
    assert most <= 21
    await log.aclose()
    assert len(list(read_events(store, "s"))) == 202


async def test_emit_itself_waits_when_nobody_asked_ready(
    store: GatedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "MAX_PENDING_BYTES", 2_000)
    async with SessionLog(store, "s") as log:
        for n in range(100):
            log.emit("fs/x", {"n": n, "text": "x" * 500})
            assert log.pending[1] < 4_000
    assert len(list(read_events(store, "s"))) == 102


@pytest.mark.spec("AUDIT 1.5")
async def test_a_second_writer_is_refused_until_the_first_lets_go(store: GatedStore) -> None:
    log = SessionLog(store, "s")
    with pytest.raises(SessionBusyError):
        SessionLog(store, "s")
    await log.aclose()
    with pytest.raises(SessionClosedError, match="has ended"):
        SessionLog(store, "s")


async def test_an_invalid_event_writes_nothing_and_the_session_goes_on(store: GatedStore) -> None:
    async with SessionLog(store, "s") as log:
        for kind, data in (("tool/call", {}), ("fs/x", {"a": "\ud800"}), ("nonsense", {})):
            with pytest.raises(InvalidEventError):
                log.emit(kind, data)
        log.emit("fs/x", {"n": 1})
    assert [event.seq for event in read_events(store, "s")] == [1, 2, 3]


async def test_a_session_whose_labels_are_refused_is_not_left_locked(store: GatedStore) -> None:
    with pytest.raises(InvalidEventError):
        SessionLog(store, "s", meta={"x": {1}})
    await SessionLog(store, "s").aclose()


async def test_closing_twice_is_harmless_and_emit_after_it_is_not(store: GatedStore) -> None:
    log = SessionLog(store, "s")
    await log.aclose()
    await log.aclose()
    with pytest.raises(SessionClosedError):
        log.emit("fs/x", {})


async def test_a_cancelled_close_is_durable_all_the_same(tmp_path: Path) -> None:
    store = open_store(tmp_path / "log.sqlite")
    log = SessionLog(store, "s")
    with anyio.CancelScope() as scope:
        scope.cancel()
        await log.aclose()
    last = store.last("s")
    assert last is not None
    assert last.type == "session/close"
    store.close()


@pytest.mark.spec("CODE_MODE 6.4")
async def test_a_large_field_is_logged_as_a_preview(store: GatedStore) -> None:
    text = "é" * MAX_FIELD_BYTES
    data = {
        "root_call_id": "c",
        "parent_call_id": "c",
        "sub_call_id": "c:code:1",
        "name": "n",
        "outcome": "ok",
        "is_error": False,
        "content": text,
        "locator": "spill:1",
    }
    async with SessionLog(store, "s") as log:
        event = log.emit("tool/code-dispatch", data)
        small = log.emit("tool/code-dispatch", {**data, "content": "x" * 1000})
    facts = event.data["content"]["$preview"]
    assert facts["bytes"] == 2 + 2 * MAX_FIELD_BYTES
    assert facts["locator"] == "spill:1"
    assert len(facts["sha256"]) == 64
    assert text.startswith(facts["head"])
    assert text.endswith(facts["tail"])
    assert small.data["content"] == "x" * 1000


async def test_a_program_is_never_shortened(store: GatedStore) -> None:
    program = "# " + "x" * (2 * MAX_FIELD_BYTES)
    async with SessionLog(store, "s") as log:
        event = log.emit(
            "tool/code-run-start",
            {"call_id": "c", "program": program, "isolation": {}, "limits": {}},
        )
    assert event.data["program"] == program


@pytest.mark.spec("PIPELINE 11.4")
@pytest.mark.parametrize("when", ["early", "late", "after the end"])
async def test_a_reader_gets_every_event_whenever_it_joins(when: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "log.sqlite")
    log = SessionLog(store, "s")
    seen: list[Event] = []

    async def read() -> None:
        async with aclosing(log.subscribe()) as events:
            async for event in events:
                seen.append(event)  # noqa: PERF401 - it is being watched

    with anyio.fail_after(30):
        async with anyio.create_task_group() as tasks:
            for n in range(600):
                if (when, n) in (("early", 0), ("late", 300)):
                    tasks.start_soon(read)
                log.emit("fs/x", {"n": n})
                await log.flush() if n % 100 == 0 else None
            await log.aclose()
            if when == "after the end":
                tasks.start_soon(read)
    assert [event.seq for event in seen] == list(range(1, 603))
    assert seen == list(read_events(store, "s"))
    store.close()


@pytest.mark.spec("AUDIT 1.3")
async def test_checkpoints_are_signed_with_the_hosts_key(store: GatedStore) -> None:
    signer = KeySigner.from_bytes(bytes(32))
    async with SessionLog(store, "s", signer=signer) as log:
        log.emit("fs/x", {})
        event = log.checkpoint()
    assert event.data["public_key"] == signer.public_key.hex()
    assert event.data["count"] == 2
    kinds: list[Any] = [event.type for event in read_events(store, "s")]
    assert kinds[-2:] == ["log/checkpoint", "session/close"]


class BrokenRedactor(Redactor):
    """Host code that is at fault, from the second event of one type on."""

    def __init__(self) -> None:
        super().__init__(lambda kind, fields: fields)
        self.seen = 0

    @override
    def apply(self, kind: str, data: FrozenDict) -> FrozenDict:
        self.seen += kind == "fs/x"
        if self.seen > 1:
            raise ZeroDivisionError("with a secret")
        return super().apply(kind, data)


@pytest.mark.spec("AUDIT 1.4", "CODE_MODE 6.7")
async def test_an_event_that_is_lost_before_it_is_written_ends_the_log_and_nothing_before_it(
    store: GatedStore,
) -> None:
    log = SessionLog(store, "s", redact=BrokenRedactor())
    log.emit("fs/x", {"n": 1})
    with pytest.raises(LogUnavailableError, match=r"fs/x could not be written \(Zero") as raised:
        log.emit("fs/x", {"n": 2})
    assert "secret" not in str(raised.value)
    with pytest.raises(LogUnavailableError):
        log.emit("fs/y", {})
    with pytest.raises(LogUnavailableError):
        await log.flush()
    log.abandon()
    assert [record.type for record in store.read("s")] == ["session/open", "fs/x"]


class Killing(GatedStore):
    """A store that raises what ends a thread."""

    @override
    def append(self, records: Sequence[Record]) -> None:
        if any(record.type == "fs/x" for record in records):
            raise SystemExit(3)
        super().append(records)


@pytest.mark.spec("CODE_MODE 6.11")
async def test_whatever_a_store_raises_its_writer_lives_and_tells() -> None:
    store = Killing()
    log = SessionLog(store, "s")
    log.emit("fs/x", {})
    with anyio.fail_after(5), pytest.raises(LogUnavailableError, match="SystemExit"):
        await log.flush()
    log.abandon()


async def test_a_store_that_hangs_holds_neither_the_loop_nor_another_writer(
    store: GatedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "_LET_GO_S", 0)
    keeper = GroupWriter.of(store)
    try:
        log = SessionLog(store, "s")
        await log.flush()
        store.gate.clear()
        log.emit("fs/x", {})
        log.abandon()  # returns, though nothing can be written
        with pytest.raises(SessionBusyError):
            SessionLog(store, "s")
        store.gate.set()
        keeper.wait(log._ticket)
        async with SessionLog(store, "s") as again:
            assert again.seq == 2
    finally:
        store.gate.set()
        keeper.release()


class DeadSigner:
    """A key that cannot be reached."""

    public_key = b"k" * 32

    def sign(self, text: bytes) -> bytes:
        raise OSError(f"no device for {text!r}")


@pytest.mark.spec("AUDIT 1.3")
async def test_a_signer_that_fails_is_an_error_of_the_log(store: GatedStore) -> None:
    log = SessionLog(store, "s", signer=DeadSigner())
    with pytest.raises(LogError, match=r"cannot be signed \(OSError\)"):
        await log.aclose()
    assert [record.type for record in store.read("s")] == ["session/open"]
