"""What of an interrupted run may go on by itself, and what the host has to say first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from interrupted import a_record

from codemode.runtime.audit.interruption import Interruption
from codemode.runtime.audit.run_calls import BegunCall
from codemode.runtime.code_mode.resuming import ResumePlan
from codemode.runtime.errors import MisuseError
from codemode.runtime.log.canonical import sha256_of
from codemode.runtime.resumption import ResumeRefusedError, make_plan
from codemode.sandbox.values import Json

pytestmark = pytest.mark.spec("AUDIT 3.4")


def begun(number: int, name: str = "write", **changes: Any) -> BegunCall:
    call = BegunCall(
        number=number,
        name=name,
        arguments={"text": "x"},
        line=number,
        outcome="unknown",
        may_have_happened=True,
        is_read_only=name == "look",
    )
    return replace(call, **changes)


def stopped(*unanswered: BegunCall, answered: tuple[BegunCall, ...] = ()) -> Interruption:
    return a_record(answered=answered, unanswered=unanswered)


def is_read_only(name: str) -> bool:
    return name == "look"


def test_calls_that_change_nothing_or_never_ran_are_made_again_by_themselves() -> None:
    record = stopped(begun(1, "look"), begun(2, may_have_happened=False))
    plan = make_plan(record, answers={}, repeat=(), is_read_only=is_read_only, names={})
    assert plan.as_json() == {
        "session": "s",
        "call_id": "c",
        "journal_sha256": "0" * 64,
        "restored": 0,
        "answered": [],
        "answers_sha256": [],
        "repeated": [],
    }


def test_a_tool_that_is_gone_counts_as_one_that_changes_something() -> None:
    with pytest.raises(ResumeRefusedError) as refusal:
        make_plan(
            stopped(begun(4, "gone")), answers={}, repeat=(), is_read_only=is_read_only, names={}
        )
    assert [call.number for call in refusal.value.unknown] == [4]


def test_each_unknown_call_must_be_settled_by_the_host() -> None:
    record = stopped(begun(1), begun(2), begun(3), answered=(begun(5, "look"), begun(6)))
    with pytest.raises(ResumeRefusedError, match="- call 3: write, line 3") as refusal:
        make_plan(record, answers={1: None}, repeat=[2], is_read_only=is_read_only, names={})
    assert [call.number for call in refusal.value.unknown] == [3]
    plan = make_plan(
        record,
        answers={3: [1], 1: None},
        repeat=frozenset({2}),
        is_read_only=is_read_only,
        names={},
    )
    assert (dict(plan.answers), plan.repeated) == ({3: [1], 1: None}, (2,))
    said = plan.as_json()
    assert (said["answered"], said["answers_sha256"]) == (
        [1, 3],
        [sha256_of(None), sha256_of([1])],
    )


@pytest.mark.parametrize(("then", "now"), [(True, False), (False, True)])
def test_a_tool_must_have_been_declared_to_change_nothing_in_both_lives(
    *, then: bool, now: bool
) -> None:
    record = stopped(begun(1, is_read_only=then))
    with pytest.raises(ResumeRefusedError, match="- call 1: write"):
        make_plan(record, answers={}, repeat=(), is_read_only=lambda name: now, names={})


def test_what_the_host_says_must_be_what_the_tool_can_have_given() -> None:
    def faults_of(name: str, value: Json) -> str:
        return "" if type(value) is str else f"/: {name} gives text"

    def plan(answer: Json) -> ResumePlan:
        return make_plan(
            stopped(begun(1)),
            answers={1: answer},
            repeat=(),
            is_read_only=is_read_only,
            names={},
            faults_of=faults_of,
        )

    assert dict(plan("done").answers) == {1: "done"}
    with pytest.raises(
        MisuseError,
        match="call 1 cannot have come to that, by the output schema of write: /: write gives text",
    ):
        plan({"done": True})


def test_what_the_host_says_must_be_about_a_call_that_waits() -> None:
    with pytest.raises(MisuseError, match="call 9 waits for no answer; those that do: 1"):
        make_plan(stopped(begun(1)), answers={9: 1}, repeat=(), is_read_only=is_read_only, names={})
    with pytest.raises(MisuseError, match="call 5 waits for no answer; those that do: none"):
        make_plan(
            stopped(answered=(begun(5),)),
            answers={},
            repeat=[5],
            is_read_only=is_read_only,
            names={},
        )
    for number in ("1", True, 1.0):
        given: Any = {number: None}
        with pytest.raises(MisuseError, match="a call is named by its number, such as 3, not"):
            make_plan(
                stopped(begun(1)), answers=given, repeat=(), is_read_only=is_read_only, names={}
            )


def test_many_unknown_calls_are_counted_after_the_first_ones() -> None:
    record = stopped(*(begun(number) for number in range(1, 31)))
    with pytest.raises(ResumeRefusedError, match="- and 10 more") as refusal:
        make_plan(record, answers={}, repeat=(), is_read_only=is_read_only, names={})
    assert len(refusal.value.unknown) == 30


def test_a_call_that_only_the_journal_knows_is_what_its_tool_is_now() -> None:
    record = replace(stopped(), unlogged=(begun(1, "tools.put", is_read_only=True),))
    names = {"tools.put": "put", "tools.look": "look"}
    with pytest.raises(ResumeRefusedError, match="- call 1: put, line 1"):
        make_plan(record, answers={}, repeat=(), is_read_only=is_read_only, names=names)
    record = replace(stopped(), unlogged=(begun(1, "tools.look", is_read_only=True),))
    make_plan(record, answers={}, repeat=(), is_read_only=is_read_only, names=names)
