"""A resumed program that does not even come to the end of its record has not succeeded."""

from __future__ import annotations

import pytest
from interrupted import a_record

from codemode.runtime.code_mode.ledger import Ledger
from codemode.runtime.code_mode.resuming import ResumedRun, ResumePlan
from codemode.sandbox.control import RunControl
from codemode.sandbox.isolation import IsolationReport
from codemode.sandbox.program import Call, Failure, Outcome
from codemode.sandbox.timeline import Delivery, Recording
from codemode.sandbox.values import FrozenDict, Json

pytestmark = pytest.mark.spec("AUDIT 3.4")

CALL = Call(number=1, name="tools.write", arguments=FrozenDict({"text": "a"}), line=1)
SUBMITTED: Json = {"name": "tools.write", "line": 1, "arguments": {"text": "a"}}


def resumed(*deliveries: Delivery) -> ResumedRun:
    """A run of which the record has two submissions."""
    record = a_record(
        submissions={1: SUBMITTED, 2: SUBMITTED},
        submitted=frozenset({1, 2}),
        deliveries=deliveries,
    )
    return ResumedRun(ResumePlan(record=record, answers={}), Ledger(), RunControl())


def ended(failure: Failure | None = None) -> Outcome:
    return Outcome(failure=failure, isolation=IsolationReport(level="B"))


@pytest.mark.parametrize(("submitted", "heard"), [(0, 0), (1, 0), (2, 0), (1, 1)])
@pytest.mark.parametrize("failure", [None, Failure(kind="timeout", message="too late")])
def test_an_end_within_the_record_is_an_abort(
    submitted: int, heard: int, failure: Failure | None
) -> None:
    run = resumed(Delivery(kind="reply", number=1, at=0.5))
    timeline = run.timeline(Recording(on_call=_hear, on_delivery=_take), _nothing)
    for number in range(1, submitted + 1):
        timeline.on_call(number, CALL)
    if heard:
        assert list(timeline.called(1))
    judged = run.judged(ended(failure)).failure
    assert judged is not None
    assert judged.kind == "abort"
    how = "it ended" if failure is None else "too late"
    assert judged.message.endswith(f"it stopped before the end of the record ({how})")


@pytest.mark.parametrize("failure", [None, Failure(kind="timeout", message="too late")])
def test_an_end_after_the_record_is_the_programs_own(failure: Failure | None) -> None:
    run = resumed(Delivery(kind="reply", number=1, at=0.5))
    timeline = run.timeline(Recording(on_call=_hear, on_delivery=_take), _nothing)
    assert list(timeline.called(1))
    timeline.on_call(1, CALL)
    timeline.on_call(2, CALL)
    assert run.judged(ended(failure)) == ended(failure)


def _hear(number: int, call: Call) -> None:
    """Nobody records."""


def _take(delivery: Delivery) -> None:
    """Nobody records."""


def _nothing() -> None:
    """Nothing is kept."""
