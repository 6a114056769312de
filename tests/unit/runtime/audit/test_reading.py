"""What of a stored session can be read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from recorded import recorded

from codemode.runtime.audit import build_tree
from codemode.runtime.audit.reading import ReadableEvents, outline_of
from codemode.runtime.log.stores.memory import MemoryStore


@pytest.mark.spec("AUDIT 2.1", "AUDIT 4.1")
def test_the_outline_of_records_is_that_of_their_events() -> None:
    records = recorded()
    events = [record.event() for record in records]
    outline = outline_of(records)
    assert outline == outline_of(events)
    tree = build_tree(events)
    assert replace(tree, turns=()) == outline.head
    assert outline.late == {"c1:code:5": "ok"}


@pytest.mark.spec("AUDIT 2.1")
def test_a_record_that_is_no_event_is_counted_and_passed_by() -> None:
    records = recorded()
    broken = replace(records[3], body=b"nothing")
    events = ReadableEvents(MemoryStore([*records[:3], broken, *records[4:]]), "s_demo")
    assert [event.seq for event in events] == [r.seq for r in records if r.seq != broken.seq]
    assert events.unreadable == 1
    assert len(list(events.records())) == len(records)
