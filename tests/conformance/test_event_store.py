"""The contract of `EventStore`: every store passes all of it."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codemode.runtime.log import (
    EventStore,
    LogCorruptError,
    LogError,
    LogFormatError,
    LogFullError,
    LogNotFoundError,
    LogReadOnlyError,
    LogVersionError,
    Record,
    SessionBusyError,
    chain,
    copy_log,
    open_store,
)
from codemode.runtime.log.canonical import encode
from codemode.runtime.log.stores import jsonl, sqlite
from codemode.runtime.log.stores.memory import MemoryStore

Open = Callable[[], EventStore]
FILES = {"sqlite": "log.sqlite", "jsonl": "log.jsonl"}


def records(session: str, count: int, *, first: int = 1, prev: str = chain.GENESIS) -> list[Record]:
    made: list[Record] = []
    for seq in range(first, first + count):
        body = encode(
            {
                "data": {"text": f"é {seq}", "number": 1e22, "hash": ',"prev":"x"'},
                "prev": prev,
                "seq": seq,
                "session": session,
                "step": None,
                "time": "2031-05-01T12:00:00.000000Z",
                "turn": 1,
                "type": "fs/observed",
                "version": 1,
            }
        )
        prev = chain.digest(body)
        made.append(Record(session, seq, "fs/observed", body, prev))
    return made


@pytest.fixture(params=["memory", "sqlite", "jsonl"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def reopen(kind: str, tmp_path: Path) -> Iterator[Open]:
    """Opens the same store anew, as another process would."""
    opened: list[EventStore] = []
    memory = MemoryStore()

    def make() -> EventStore:
        store = memory if kind == "memory" else open_store(tmp_path / FILES[kind])
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(reopen: Open) -> EventStore:
    return reopen()


@pytest.mark.spec("AUDIT 1.2")
def test_records_come_back_byte_for_byte_and_in_order(store: EventStore, reopen: Open) -> None:
    written = records("s", 1000)
    store.append(written[:3])
    store.append(written[3:])
    assert list(reopen().read("s")) == written


@pytest.mark.spec("AUDIT 1.2")
def test_reading_can_begin_after_any_record(store: EventStore) -> None:
    written = records("s", 600)
    store.append(written)
    for after in (0, 1, 255, 256, 257, 511, 599, 600, 601):
        assert list(store.read("s", after=after)) == written[after:]


@pytest.mark.spec("AUDIT 1.2")
def test_sessions_lie_side_by_side(store: EventStore, reopen: Open) -> None:
    first, second = records("a", 5), records("b", 4)
    store.append([first[0], second[0], *first[1:], *second[1:]])
    assert set(reopen().sessions()) == {"a", "b"}
    assert list(store.read("a")) == first
    assert list(store.read("b")) == second
    assert store.last("a") == first[-1]


@pytest.mark.parametrize("name", FILES.values())
def test_a_new_log_is_for_its_owner_only(name: str, tmp_path: Path) -> None:
    open_store(tmp_path / name).close()
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_session_that_is_not_there_is_empty(store: EventStore) -> None:
    assert list(store.read("none")) == []
    assert store.last("none") is None
    assert store.sessions() == ()
    assert store.damage() == ()


@pytest.mark.spec("AUDIT 1.2")
def test_a_batch_is_kept_whole_or_not_at_all(store: EventStore) -> None:
    written = records("s", 5)
    store.append(written[:3])
    with pytest.raises(SessionBusyError):
        store.append([*records("other", 2), written[2], written[3]])
    assert list(store.read("s")) == written[:3]
    assert list(store.read("other")) == []
    store.append(written[3:])
    assert list(store.read("s")) == written


@pytest.mark.spec("AUDIT 1.5")
def test_two_writers_of_one_session_are_refused(store: EventStore, reopen: Open) -> None:
    lease = store.acquire("s")
    with pytest.raises(SessionBusyError, match="another writer"):
        reopen().acquire("s")
    with pytest.raises(SessionBusyError):
        store.acquire("s")
    lease.release()
    lease.release()
    reopen().acquire("s").release()


@pytest.mark.spec("AUDIT 1.5")
def test_writers_of_different_sessions_do_not_meet(store: EventStore, reopen: Open) -> None:
    other = reopen()
    leases = [store.acquire("a"), other.acquire("b")]
    first, second = records("a", 40), records("b", 40)
    for one, two in zip(first, second, strict=True):
        store.append([one])
        other.append([two])
    assert list(other.read("a")) == first
    assert list(store.read("b")) == second
    for lease in leases:
        lease.release()


@pytest.mark.spec("AUDIT 1.2")
@pytest.mark.parametrize("target_kind", ["sqlite", "jsonl", "memory"])
def test_export_and_import_are_lossless(
    store: EventStore, target_kind: str, tmp_path: Path
) -> None:
    store.append([*records("a", 300), *records("b", 2)])
    target: EventStore = (
        MemoryStore()
        if target_kind == "memory"
        else open_store(tmp_path / f"copy-{FILES[target_kind]}")
    )
    assert copy_log(store, target) == 302
    for session in ("a", "b"):
        assert list(target.read(session)) == list(store.read(session))
    with pytest.raises(SessionBusyError):
        copy_log(store, target)
    target.close()


@pytest.mark.parametrize("name", FILES.values())
def test_a_file_of_another_kind_is_refused_and_untouched(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for content in (b"hello\nworld\n", b'{"a":1}\n', b"\x7fELF" + bytes(100)):
        path.write_bytes(content)
        with pytest.raises(LogFormatError):
            open_store(path)
        assert path.read_bytes() == content
    with pytest.raises(LogFormatError, match="folder"):
        open_store(tmp_path)


@pytest.mark.spec("AUDIT 2.2")
@pytest.mark.parametrize(
    "statements",
    [
        "ALTER TABLE event RENAME TO kept; CREATE VIEW event AS SELECT session, seq, type, hash,"
        " CASE WHEN random() % 2 THEN body ELSE x'7b7d' END AS body FROM kept",
        "CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END",
        "CREATE INDEX i ON event (type)",
        "CREATE TABLE other (a)",
        "ALTER TABLE event ADD COLUMN more AS (hash)",
    ],
    ids=["view", "trigger", "index", "table", "column"],
)
def test_a_database_that_could_say_something_else_at_the_next_reading_is_refused(
    tmp_path: Path, statements: str
) -> None:
    path = tmp_path / "log.sqlite"
    open_store(path).close()
    connection = sqlite3.connect(path)
    connection.executescript(statements)
    connection.close()
    for read_only in (True, False):
        with pytest.raises(LogFormatError, match="from one reading to the next"):
            open_store(path, read_only=read_only)


def test_a_database_that_was_analysed_or_written_anew_is_still_a_log(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    open_store(path).close()
    connection = sqlite3.connect(path)
    connection.executescript("ANALYZE; VACUUM")
    connection.close()
    open_store(path, read_only=True).close()


@pytest.mark.parametrize("name", ["log.sqlite", "log"])
def test_an_empty_file_is_said_to_be_empty(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.touch()
    with pytest.raises(LogFormatError, match="is empty"):
        open_store(path, read_only=True)
    open_store(path).close()


def test_a_database_of_another_program_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE mine (x)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(LogFormatError, match="another program"):
        open_store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", FILES.values())
def test_a_newer_version_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith("jsonl"):
        path.write_bytes(b'{"codemode_log":%d}\n' % (jsonl.VERSION + 1))
    else:
        open_store(path).close()
        newer = sqlite3.connect(path)
        newer.execute(f"PRAGMA user_version={sqlite.VERSION + 1}")
        newer.close()
    for read_only in (False, True):
        with pytest.raises(LogVersionError, match="upgrade"):
            open_store(path, read_only=read_only)


@pytest.mark.parametrize("name", FILES.values())
def test_a_log_that_is_not_there_is_not_made_by_reading(name: str, tmp_path: Path) -> None:
    with pytest.raises(LogNotFoundError, match="no such log"):
        open_store(tmp_path / name, read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FILES.values())
def test_a_log_opened_for_reading_cannot_be_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    writer = open_store(path)
    writer.append(records("s", 2))
    reader = open_store(path, read_only=True)
    with pytest.raises(LogReadOnlyError):
        reader.append(records("t", 1))
    assert len(list(reader.read("s"))) == 2
    writer.append(records("s", 1, first=3))
    assert len(list(reader.read("s"))) == 3
    reader.close()
    writer.close()


@pytest.fixture
def unprivileged_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in which permissions count, for root too."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        os.seteuid(65_534)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)


@pytest.mark.parametrize("name", FILES.values())
def test_a_file_without_write_permission_is_read_only_and_still_reads(
    name: str, unprivileged_folder: Path
) -> None:
    path = unprivileged_folder / name
    store = open_store(path)
    store.append(records("s", 3))
    store.close()
    path.chmod(stat.S_IRUSR)
    with pytest.raises(LogReadOnlyError):
        open_store(path)
    store = open_store(path, read_only=True)
    assert len(list(store.read("s"))) == 3
    store.close()


@pytest.mark.parametrize("name", FILES.values())
def test_a_folder_that_is_not_there_is_a_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"there is no folder .*missing; make it first"):
        open_store(tmp_path / "missing" / name)


def test_a_full_disk_loses_nothing_in_sqlite(tmp_path: Path) -> None:
    store = sqlite.SqliteStore(tmp_path / "log.sqlite")
    written = records("s", 5_000)
    store.append(written[:10])
    writer = store._writer  # pyright: ignore[reportPrivateUsage] # to make its disk full
    assert writer is not None
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count={pages + 4}")
    with pytest.raises(LogFullError, match="free some space"):
        store.append(written[10:])
    assert list(store.read("s")) == written[:10]
    writer.execute("PRAGMA max_page_count=1000000")
    store.append(written[10:])
    assert list(store.read("s")) == written
    store.close()


def test_a_full_disk_loses_nothing_in_json_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = jsonl.JsonLinesStore(tmp_path / "log.jsonl")
    written = records("s", 30)
    store.append(written[:10])
    before = (tmp_path / "log.jsonl").read_bytes()
    real_write = os.write

    def short_then_full(fd: int, data: memoryview) -> int:
        if len(data) < 500:
            raise OSError(28, "No space left on device")
        return real_write(fd, data[:400])

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", short_then_full)
        with pytest.raises(LogFullError, match="free some space"):
            store.append(written[10:])
    assert (tmp_path / "log.jsonl").read_bytes() == before
    store.append(written[10:])
    assert list(store.read("s")) == written
    store.close()


@pytest.mark.spec("AUDIT 1.4")
def test_a_line_cut_off_by_a_crash_is_named_and_the_log_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    store = open_store(path)
    written = records("s", 4)
    store.append(written[:2])
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"data":{"text":"cut o')
    store = open_store(path)
    assert list(store.read("s")) == written[:2]
    assert "without its end" in store.damage()[0]
    store.append(written[2:])
    assert list(store.read("s")) == written
    assert "is not an event" in store.damage()[0]
    assert path.read_bytes().startswith(whole)
    store.close()


def test_lines_written_anew_by_another_program_still_read(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    store = open_store(path)
    written = records("s", 3)
    store.append(written)
    store.close()
    path.write_bytes(path.read_bytes().replace(b'":', b'": '))
    store = open_store(path, read_only=True)
    bodies = [record.body.replace(b'":', b'": ') for record in written]
    assert [record.hash for record in store.read("s")] == [record.hash for record in written]
    assert len(bodies) == len(list(store.read("s")))
    store.close()


def test_a_damaged_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    store = open_store(path)
    store.append(records("s", 2_000))
    store.close()
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 8] = b"\xff" * (4096 * 5)
    path.write_bytes(content)
    store = open_store(path, read_only=True)
    with pytest.raises(LogCorruptError):
        list(store.read("s"))
    store.close()


@pytest.mark.spec("AUDIT 1.2")
def test_a_batch_of_nothing_is_kept(store: EventStore) -> None:
    store.append([])
    assert store.sessions() == ()
