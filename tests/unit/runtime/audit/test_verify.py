"""Verify: an honest log is whole, a tampered one names its first broken event."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from recorded import HISTORY, recorded

from codemode.runtime.audit import render_report, verify
from codemode.runtime.log import (
    Event,
    EventStore,
    KeySigner,
    LogError,
    Record,
    SessionLog,
    SessionNotFoundError,
    chain,
    copy_log,
    open_store,
)
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.sandbox.values import FrozenDict

KEY = KeySigner.from_bytes(bytes(range(32)))


@pytest.fixture
def records() -> list[Record]:
    return recorded()


def holding(records: list[Record]) -> MemoryStore:
    """A store with these records as they are, broken or not."""
    return MemoryStore(replace(record, session="s_demo") for record in records)


def resealed(records: list[Record], *, start: int = 0) -> list[Record]:
    """The same events with a chain that is consistent again, as a forger would make it."""
    made = records[:start]
    for record in records[start:]:
        event = record.event()
        prev = made[-1].hash if made else chain.GENESIS
        data = dict(event.data)
        if event.type in ("log/checkpoint", "session/close"):
            data |= {"count": len(made), "head": prev}
        forged = replace(event, seq=len(made) + 1, prev=prev, data=FrozenDict(data))
        body = forged.body()
        made.append(Record(record.session, forged.seq, forged.type, body, chain.digest(body)))
    return made


def edited(record: Record, **changes: object) -> Record:
    event = replace(record.event(), **changes)  # type: ignore[arg-type] # names of fields
    return replace(record, body=event.body())


@pytest.mark.spec("AUDIT 2.2")
def test_an_honest_log_is_whole_and_signed(records: list[Record]) -> None:
    report = verify(holding(records), public_key=KEY.public_key, strict=True)
    assert report.ok, report.faults
    assert report.first_broken is None
    assert report.warnings == ()
    session = report.sessions[0]
    assert session.is_closed
    assert session.events == session.anchored_to == 41
    assert session.signed_to == 39


@pytest.mark.spec("AUDIT 2.2")
def test_a_changed_event_is_named(records: list[Record]) -> None:
    event = records[20].event()
    records[20] = edited(records[20], data=FrozenDict({**event.data, "contexts": 7}))
    report = verify(holding(records))
    assert not report.ok
    assert report.first_broken is not None
    assert report.first_broken.seq == 21
    assert "was changed" in report.first_broken.message


@pytest.mark.spec("AUDIT 2.2")
@pytest.mark.parametrize("strategy", ["keeps the signatures", "drops the checkpoints"])
def test_a_forger_who_seals_the_chain_again_fails_at_the_signature(
    records: list[Record], strategy: str
) -> None:
    at = next(i for i, record in enumerate(records) if record.type == "assistant/message")
    event = records[at].event()
    records[at] = edited(records[at], data=FrozenDict({**event.data, "content": "Not me."}))
    if strategy == "drops the checkpoints":
        records = [record for record in records if record.type != "log/checkpoint"]
    forged = resealed(records)
    assert verify(holding(forged)).ok is (strategy == "drops the checkpoints")
    report = verify(holding(forged), public_key=KEY.public_key)
    assert not report.ok
    wanted = {
        "keeps the signatures": "signature is false",
        "drops the checkpoints": "no checkpoint is signed",
    }
    assert wanted[strategy] in " ".join(fault.message for fault in report.faults)


@pytest.mark.spec("AUDIT 2.2")
def test_a_log_signed_with_another_key_is_refused(records: list[Record]) -> None:
    other = KeySigner.from_bytes(bytes(32)).public_key
    report = verify(holding(records), public_key=other)
    assert report.first_broken is not None
    assert "another key" in report.first_broken.message


@pytest.mark.spec("AUDIT 2.2")
def test_a_signature_that_is_false_is_a_fault(records: list[Record]) -> None:
    at = next(i for i, record in enumerate(records) if record.type == "log/checkpoint")
    event = records[at].event()
    records[at] = edited(records[at], data=FrozenDict({**event.data, "signature": "00" * 64}))
    forged = resealed(records, start=at)
    report = verify(holding(forged))
    assert report.first_broken is not None
    assert report.first_broken.seq == at + 1
    assert "signature is false" in report.first_broken.message


@pytest.mark.spec("AUDIT 2.2")
def test_without_a_key_it_says_what_is_not_proven(records: list[Record]) -> None:
    assert "signed by" in " ".join(verify(holding(records)).warnings)


@pytest.mark.anyio
@pytest.mark.spec("AUDIT 2.2")
async def test_an_unsigned_log_proves_consistency_only() -> None:
    store = MemoryStore()
    async with SessionLog(store, "s"):
        pass
    report = verify(store)
    assert report.ok
    assert report.warnings == ("s: not signed: this proves consistency, not authorship",)


@pytest.mark.spec("AUDIT 2.2")
def test_a_cut_tail_is_unanchored_and_strict_refuses_it(records: list[Record]) -> None:
    checkpoint = next(r.seq for r in records if r.type == "log/checkpoint")
    cut = records[:35]
    report = verify(holding(cut))
    assert report.ok
    assert f"s_demo: unanchored after seq {checkpoint}" in report.warnings
    strict = verify(holding(cut), strict=True)
    assert not strict.ok
    assert render_report(strict).startswith("NOT ANCHORED\n")


@pytest.mark.spec("AUDIT 2.2")
def test_what_is_added_behind_the_last_signature_is_not_anchored(records: list[Record]) -> None:
    *signed, close = records
    turn = next(record for record in records if record.type == "turn/open").event()
    last = {
        "prev": signed[-1].hash,
        "seq": len(signed) + 1,
        "turn": turn.turn + 9 if turn.turn else 9,
    }
    opened = edited(replace(signed[0], type="turn/open"), type="turn/open", data=turn.data, **last)
    ended = edited(opened, type="turn/close", data=FrozenDict({}))
    forged = resealed([*signed, opened, ended, close], start=len(signed))
    report = verify(holding(forged), public_key=KEY.public_key)
    assert report.ok, report.faults
    assert "s_demo: not signed after seq 39" in report.warnings
    assert "s_demo: unanchored after seq 39" in report.warnings
    strict = verify(holding(forged), public_key=KEY.public_key, strict=True)
    assert (strict.ok, strict.sessions[0].is_anchored) == (False, False)
    head = f"{len(forged)}:{forged[-1].hash}"
    anchored = verify(holding(forged), public_key=KEY.public_key, strict=True, head=head)
    assert anchored.ok, "an anchor of the reviewer's own vouches for all before it"
    assert verify(holding(records), public_key=KEY.public_key, strict=True).ok


@pytest.mark.spec("AUDIT 2.2")
def test_an_anchor_of_the_reviewers_finds_a_cut_tail(records: list[Record]) -> None:
    head = f"{records[-1].seq}:{records[-1].hash}"
    assert verify(holding(records), head=head).ok
    report = verify(holding(records[:35]), head=head)
    assert report.first_broken is not None
    assert "the log ends here" in report.first_broken.message
    anchored = verify(holding(records[:35]), head=f"35:{records[34].hash}", strict=True)
    assert anchored.ok
    other = verify(holding(records), head=f"35:{'0' * 64}")
    assert other.first_broken is not None
    assert other.first_broken.seq == 35


def test_an_anchor_must_be_one_and_name_one_session(records: list[Record]) -> None:
    for head in ("", "x:y", "3", "3:abc"):
        with pytest.raises(LogError, match="SEQ:HASH"):
            verify(holding(records), head=head)
    two = MemoryStore([*records, replace(records[0], session="other")])
    with pytest.raises(LogError, match="several"):
        verify(two, head=f"1:{'0' * 64}")


def test_a_session_that_is_not_there_is_an_error(records: list[Record]) -> None:
    with pytest.raises(SessionNotFoundError):
        verify(holding(records), "nobody")
    with pytest.raises(SessionNotFoundError):
        verify(MemoryStore())


@pytest.mark.spec("AUDIT 1.1")
def test_newer_events_are_kept_counted_and_not_judged(records: list[Record]) -> None:
    event = records[30].event()
    newer = [*records[:30], edited(records[30], type="tool/teleport"), *records[30:]]
    newer[30] = replace(newer[30], type="tool/teleport")
    unsigned = [r for r in newer if r.type not in ("log/checkpoint", "session/close")]
    report = verify(holding(resealed(unsigned)))
    assert event.type != "tool/teleport"
    assert report.ok, report.faults
    assert "1 events of a newer version were not judged" in " ".join(report.warnings)


def test_an_event_outside_its_schema_is_a_fault(records: list[Record]) -> None:
    event = records[10].event()
    records[10] = edited(records[10], data=FrozenDict({**event.data, "surprise": 1}))
    report = verify(holding(resealed(records[:20])))
    assert report.first_broken is not None
    assert "does not fit the schema" in report.first_broken.message
    assert report.first_broken.seq == 11


def test_a_body_that_is_not_canonical_is_a_fault(records: list[Record]) -> None:
    body = records[-1].body.replace(b'":', b'": ')
    records[-1] = replace(records[-1], body=body, hash=chain.digest(body))
    report = verify(holding(records))
    assert report.first_broken is not None
    assert "canonical" in report.first_broken.message


def test_a_body_that_is_unreadable_is_a_fault(records: list[Record]) -> None:
    records[10] = replace(records[10], body=b"\xff\xff")
    report = verify(holding(records))
    assert report.first_broken is not None
    assert report.first_broken.seq == 11
    assert "unreadable" in report.first_broken.message


@pytest.mark.spec("AUDIT 2.2")
def test_rows_changed_behind_the_stores_back_are_found(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    source, store = open_store(HISTORY, read_only=True), open_store(path)
    copy_log(source, store)
    source.close()
    store.close()
    attacks = [
        "UPDATE event SET type = 'turn/open' WHERE seq = 17",
        "UPDATE event SET body = replace(body, 'denied', 'ok') WHERE seq = 14",
        "DELETE FROM event WHERE seq = 9",
        "UPDATE event SET session = 'other' WHERE seq > 20",
        "UPDATE event SET hash = upper(hash) WHERE seq = 4",
    ]
    for attack in attacks:
        copy = tmp_path / "copy.sqlite"
        copy.write_bytes(path.read_bytes())
        database = sqlite3.connect(copy)
        assert database.execute(attack).rowcount > 0
        database.commit()
        database.close()
        tampered = open_store(copy, read_only=True)
        assert not verify(tampered, strict=True).ok, attack
        tampered.close()
        copy.unlink()


def test_lines_that_are_not_events_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(HISTORY.read_bytes() + b"garbage\n")
    store = open_store(path, read_only=True)
    assert "not an event" in verify(store).warnings[0]
    store.close()


def test_the_verdict_is_text_and_json(records: list[Record]) -> None:
    good: EventStore = holding(records)
    text = render_report(verify(good))
    assert text.startswith("ok\n")
    assert f"head 41:{records[-1].hash}" in text
    broken = verify(holding(records[:10] + records[11:]))
    text = render_report(broken)
    assert text.startswith("BROKEN\nfirst broken: s_demo event 12: follows event 10")
    data = json.loads(json.dumps(broken.as_json()))
    assert data["ok"] is False
    assert data["first_broken"]["seq"] == 12


def test_the_history_reads_as_events_for_ever(records: list[Record]) -> None:
    events: list[Event] = [record.event() for record in records]
    assert all(event.version == 1 for event in events)
    assert all(event.body() == record.body for event, record in zip(events, records, strict=True))
