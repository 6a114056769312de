"""Whatever one does to a recorded log, verify finds it: over all positions, and at random."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import recorded

from codemode.runtime.audit import Report, verify
from codemode.runtime.log import Record
from codemode.runtime.log.stores.memory import MemoryStore

COUNT = 41


@cache
def honest() -> tuple[Record, ...]:
    return tuple(recorded())


def verdict(records: list[Record]) -> Report:
    return verify(MemoryStore(records), strict=True)


def broken_at(records: list[Record]) -> int:
    report = verdict(records)
    assert not report.ok
    assert report.first_broken is not None
    return report.first_broken.seq


def test_the_log_is_honest_before_anyone_touches_it() -> None:
    assert len(honest()) == COUNT
    assert verdict(list(honest())).ok


@pytest.mark.spec("AUDIT 2.2")
@pytest.mark.parametrize("at", range(COUNT))
def test_a_dropped_event_is_found_where_it_is_missing(at: int) -> None:
    records = [*honest()[:at], *honest()[at + 1 :]]
    if at == COUNT - 1:
        assert not verdict(records).ok
    else:
        assert broken_at(records) == at + 2


@pytest.mark.spec("AUDIT 2.2")
@pytest.mark.parametrize("at", range(1, COUNT))
def test_a_truncation_is_found(at: int) -> None:
    assert not verdict(list(honest()[:at])).ok


@pytest.mark.spec("AUDIT 2.2")
@given(at=st.integers(0, COUNT), source=st.integers(0, COUNT - 1), renumber=st.booleans())
def test_an_inserted_event_is_found(at: int, source: int, renumber: bool) -> None:
    copied = honest()[source]
    inserted = replace(copied, seq=at + 1) if renumber else copied
    records = [*honest()[:at], inserted, *honest()[at:]]
    assert broken_at(records) in (inserted.seq, at + 1)


@pytest.mark.spec("AUDIT 2.2")
@given(first=st.integers(0, COUNT - 1), second=st.integers(0, COUNT - 1), renumber=st.booleans())
def test_swapped_events_are_found(first: int, second: int, renumber: bool) -> None:
    if first == second:
        return
    first, second = sorted((first, second))
    records = list(honest())
    one, two = records[first], records[second]
    if renumber:
        one, two = replace(one, seq=two.seq), replace(two, seq=one.seq)
    records[first], records[second] = two, one
    assert broken_at(records) == (first + 1 if renumber else records[first].seq)


@pytest.mark.spec("AUDIT 2.2")
@given(
    at=st.integers(0, COUNT - 1),
    position=st.integers(0),
    byte=st.integers(0, 255),
    part=st.sampled_from(["body", "hash", "seq", "session", "type"]),
)
def test_any_changed_byte_is_found(at: int, position: int, byte: int, part: str) -> None:
    records = list(honest())
    record = records[at]
    if part == "body":
        body = bytearray(record.body)
        body[position % len(body)] = byte
        changed = replace(record, body=bytes(body))
    elif part == "hash":
        digits = list(record.hash)
        digits[position % 64] = "0123456789abcdef"[byte % 16]
        changed = replace(record, hash="".join(digits))
    elif part == "seq":
        changed = replace(record, seq=record.seq + byte)
    elif part == "session":
        changed = replace(record, session=f"{record.session}{chr(byte)}")
    else:
        changed = replace(record, type=f"{record.type}{chr(byte)}")
    if changed == record:
        return
    records[at] = changed
    # Moved to another session, it is missed where it was, or is no beginning where it is.
    assert broken_at(records) in (at + 1, changed.seq) or part == "session"


@pytest.mark.spec("AUDIT 2.2")
@given(st.permutations(range(12)))
def test_any_other_order_is_found(order: list[int]) -> None:
    records = [honest()[i] for i in order] + list(honest()[12:])
    assert verdict(records).ok is (order == sorted(order))
