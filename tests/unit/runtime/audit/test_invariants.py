"""Every protocol invariant: a log that breaks it is told so."""

from __future__ import annotations

from typing import Any

import pytest

from codemode.runtime.audit.invariants import InvariantChecker
from codemode.runtime.log import Event, chain
from codemode.runtime.log.events import check_written, settle

Step = tuple[str, dict[str, Any]]

USAGE: dict[str, Any] = {
    "wall_s": 0.1, "cpu_s": 0.1, "peak_memory_bytes": 1, "waiting_s": 0.0, "sub_calls": {},
    "bytes_in": 1, "bytes_out": 1,
}  # fmt: skip
OPEN: Step = ("session/open", {"form": "c1", "engine": "0"})
TURN: Step = ("turn/open", {})
END: Step = ("turn/close", {})


def call(call_id: str = "c1", name: str = "run_code") -> Step:
    return "tool/call", {"call_id": call_id, "name": name, "arguments": "{}"}


def result(call_id: str = "c1", **more: Any) -> Step:
    return "tool/result", {"call_id": call_id, "is_error": False, "content": "", **more}


def run(call_id: str = "c1") -> Step:
    data: dict[str, Any] = {"call_id": call_id, "program": "", "isolation": {}, "limits": {}}
    return "tool/code-run-start", data


def ran(sub_calls: dict[str, int] | None = None, call_id: str = "c1") -> Step:
    usage = {**USAGE, "sub_calls": sub_calls or {}}
    return "tool/code-run", {"call_id": call_id, "outcome": "ok", "usage": usage}


def ids(n: int, root: str = "c1") -> dict[str, Any]:
    return {
        "root_call_id": root,
        "parent_call_id": "c1",
        "sub_call_id": f"c1:code:{n}",
        "name": "t",
    }


def start(n: int, root: str = "c1", **more: Any) -> Step:
    return "tool/code-dispatch-start", {**ids(n, root), "arguments": {}, **more}


def settled(n: int, outcome: str = "ok", root: str = "c1", **more: Any) -> Step:
    is_error = outcome not in ("ok", "discarded")
    data = {**ids(n, root), "outcome": outcome, "is_error": is_error, **more}
    return "tool/code-dispatch", data


def message(kind: str = "user/message") -> Step:
    return kind, {"content": "x", "source": "t"} if kind == "user/message" else {"content": "x"}


def faults(*steps: Step, turn: int | None = 1, closed: bool = False) -> list[str]:
    """Feed a session of these steps; gives every fault as `type: message`."""
    checker, found, head = InvariantChecker(), list[str](), chain.GENESIS
    numbered = list(steps)
    if closed:
        numbered.append(("session/close", {}))
    for seq, (kind, data) in enumerate(numbered, 1):
        if kind == "session/close" and not data:
            data = {"count": seq - 1, "head": head}
        fields = settle(kind, {k: v for k, v in data.items() if k not in ("_turn", "_step")})
        check_written(kind, fields)
        digest = f"{seq:064x}"
        place: dict[str, Any] = data
        event = Event(
            seq=seq,
            time="2031-05-01T12:00:00.000000Z",
            session="s",
            turn=place.get("_turn", turn),
            step=place.get("_step"),
            type=kind,
            version=1,
            data=fields,
            prev=head,
            hash=digest,
        )
        found += [f"{kind}: {fault.message}" for fault in checker.feed(event)]
        head = digest
    return found


def inside(*steps: Step) -> list[str]:
    """Faults of steps inside a turn of a closed session."""
    return faults(OPEN, TURN, *steps, END, closed=True)


def one_run(*steps: Step, **sub_calls: int) -> list[str]:
    """Faults of steps inside a program."""
    return inside(call(), run(), *steps, ran(sub_calls), result())


@pytest.mark.spec("PIPELINE 14.3", "PIPELINE 14.5")
def test_an_honest_session_breaks_nothing() -> None:
    assert not one_run(start(1), start(3), settled(3), settled(1, "error"), ok=1, error=1)
    assert not inside(call("a"), result("a"), message(), call("b"), result("b"))


@pytest.mark.spec("PIPELINE 14.3")
@pytest.mark.parametrize(
    ("steps", "counts", "message"),
    [
        ([start(1)], {}, "has no settlement"),
        ([settled(1)], {"ok": 1}, "settled without a start, or twice"),
        ([start(1), settled(1), settled(1)], {"ok": 2}, "settled without a start, or twice"),
        ([start(1), start(1), settled(1)], {"ok": 1}, "starts twice"),
        ([start(2), start(1), settled(1), settled(2)], {"ok": 2}, "out of order"),
        ([start(1), settled(1, name="other")], {"ok": 1}, "changed its tool"),
        ([start(1, sub_call_id="x"), settled(1, sub_call_id="x")], {"ok": 1}, "CALL:code:N"),
        ([start(1), settled(1)], {}, "counts sub-calls none, the log has ok 1"),
        ([start(1), settled(1)], {"ok": 2}, "counts sub-calls ok 2"),
        ([run()], {}, "starts a second program"),
    ],
)
def test_nested_calls_start_once_settle_once_and_are_counted(
    steps: list[Step], counts: dict[str, int], message: str
) -> None:
    assert message in " ".join(one_run(*steps, **counts))


@pytest.mark.spec("PIPELINE 14.3")
def test_a_sub_call_never_changes_its_root() -> None:
    found = inside(call(), call("c2"), run(), run("c2"), start(1), settled(1, root="c2"))
    assert "changed its root to c2" in " ".join(found)


@pytest.mark.spec("PIPELINE 14.3", "CODE_MODE 5.1")
def test_nested_events_lie_under_a_program_that_is_running() -> None:
    assert "not an open call" in " ".join(inside(start(1), settled(1)))
    assert "whose program is not running" in " ".join(inside(call(), start(1), settled(1)))
    after = inside(call(), run(), ran(), start(1), settled(1), result())
    assert "whose program is not running" in " ".join(after)
    late = inside(call(), run(), start(1), ran(), result(), settled(1))
    assert "has ended, but c1:code:1 has no settlement" in " ".join(late)
    assert "not an open call" in " ".join(late)


@pytest.mark.spec("PIPELINE 14.3", "CODE_MODE 6.5")
def test_a_refused_call_has_no_start() -> None:
    refused: Step = (
        "tool/code-dispatch-refused",
        {"root_call_id": "c1", "parent_call_id": "c1", "ordinal": 1, "reason": "abandoned"},
    )
    assert not one_run(refused)
    assert "a call that was refused has a start" in " ".join(one_run(start(1), refused))
    assert "not an open call" in " ".join(inside(call(), result(), refused))
    guest: Step = (refused[0], {**refused[1], "claimed_by": "guest"})
    assert not one_run(start(1), guest, settled(1), ok=1)


@pytest.mark.spec("PIPELINE 14.3", "CODE_MODE 5.3")
def test_a_late_settlement_follows_an_unknown_one_and_only_once() -> None:
    late: Step = ("tool/late-settlement", {"sub_call_id": "c1:code:1", "outcome": "ok"})
    program = (call(), run(), start(1), settled(1, "unknown"), ran({"unknown": 1}), result())
    assert not faults(OPEN, TURN, *program, END, late, closed=True)
    twice = faults(OPEN, TURN, *program, END, late, late, closed=True)
    assert "had not settled as unknown" in " ".join(twice)
    assert "had not settled as unknown" in " ".join(one_run(start(1), settled(1), late, ok=1))


@pytest.mark.spec("PIPELINE 14.5")
@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([call("a")], "call a has no result"),
        ([result("a")], "a result without call"),
        ([call("a"), result("a"), result("a")], "a second result"),
        ([call("a"), call("a"), result("a")], "made twice"),
        ([call("a"), result("a"), call("a"), result("a")], "made twice"),
        ([call(), run(), result()], "before its program's end"),
        ([run("x")], "not an open call"),
        ([ran(call_id="x")], "where none is running"),
    ],
)
def test_each_call_has_one_result_after_it(steps: list[Step], message: str) -> None:
    assert message in " ".join(inside(*steps))


@pytest.mark.spec("PIPELINE 14.5")
def test_a_result_lies_in_the_turn_of_its_call() -> None:
    found = faults(OPEN, TURN, call("a"), END, ("turn/open", {"_turn": 2}), result("a", _turn=2))
    assert "the turn ends, but call a has no result" in " ".join(found)
    assert "a result without call" in " ".join(found)


@pytest.mark.spec("PIPELINE 14.5", "PIPELINE 10.3")
def test_the_results_of_a_batch_stand_in_call_order_without_messages_between() -> None:
    opened: Step = ("batch/open", {"batch_id": "b", "calls": ["a", "b"]})
    done: Step = ("batch/settled", {"batch_id": "b"})
    honest = [opened, call("a"), call("b"), result("a"), result("b"), done, message()]
    assert not inside(*honest)
    swapped = [opened, call("a"), call("b"), result("b"), result("a"), done]
    assert "not in the order of the calls" in " ".join(inside(*swapped))
    between = [opened, call("a"), call("b"), result("a"), message(), result("b"), done]
    assert "between a batch's first call and its last result" in " ".join(inside(*between))
    stranger = [
        opened,
        call("x"),
        result("x"),
        call("a"),
        call("b"),
        result("a"),
        result("b"),
        done,
    ]
    assert "not of the open batch" in " ".join(inside(*stranger))
    early = [opened, call("a"), result("a"), done]
    assert "the batch is settled, but b has no result" in " ".join(inside(*early))
    assert "inside a batch" in " ".join(inside(opened, opened))
    assert "was not open" in " ".join(inside(done))


@pytest.mark.spec("PIPELINE 14.1")
def test_a_call_that_was_refused_never_reached_its_body() -> None:
    error = {"name": "X", "code": "DENIED", "layer": "guard", "body_started": False}
    deny = {"outcome": "deny", "layer": "guard", "rule": "g"}
    honest = settled(1, "denied", error=error, decision=deny)
    assert not one_run(start(1), honest, denied=1)
    ran_anyway = settled(1, "denied", error={**error, "body_started": True}, decision=deny)
    assert "body ran" in " ".join(one_run(start(1), ran_anyway, denied=1))
    allowed = settled(1, "ok", decision=deny)
    assert "the decision is deny, but the body ran" in " ".join(one_run(start(1), allowed, ok=1))


def test_outcome_flag_and_error_tell_one_story() -> None:
    error = {"name": "X", "code": "TOOL_ERROR", "layer": "body", "body_started": True}
    assert "there is an error" in " ".join(one_run(start(1), settled(1, "ok", error=error), ok=1))
    quiet = settled(1, "error", is_error=False)
    assert "not marked as an error" in " ".join(one_run(start(1), quiet, error=1))


@pytest.mark.spec("PIPELINE 7.3")
def test_each_question_has_one_answer() -> None:
    asked: Step = ("approval/asked", {"approval_id": "a", "call_id": "c1:code:1", "name": "t"})
    decided: Step = (
        "approval/decided",
        {"approval_id": "a", "call_id": "c1:code:1", "outcome": "allowed"},
    )
    body = (start(1), asked, decided, settled(1))
    assert not one_run(*body, ok=1)
    assert "never decided" in " ".join(one_run(start(1), asked, settled(1), ok=1))
    assert "without a question, or twice" in " ".join(one_run(*body, decided, ok=1))
    assert "asked twice" in " ".join(one_run(start(1), asked, asked, decided, settled(1), ok=1))
    other: Step = (decided[0], {**decided[1], "call_id": "c1:code:2"})
    assert "for another call" in " ".join(one_run(start(1), asked, other, settled(1), ok=1))


@pytest.mark.spec("PIPELINE 14.1")
@pytest.mark.parametrize("answer", ["rejected", "cancelled", "unavailable"])
def test_what_a_settlement_says_of_people_is_what_they_answered(answer: str) -> None:
    asked: Step = ("approval/asked", {"approval_id": "a", "call_id": "c1:code:1", "name": "t"})

    def decided(outcome: str) -> Step:
        return asked[0].replace("asked", "decided"), {
            "approval_id": "a", "call_id": "c1:code:1", "outcome": outcome,
        }  # fmt: skip

    allowed = {"outcome": "allow", "layer": "approval", "approval": {"outcome": "allowed"}}
    by_a_person = settled(1, decision=allowed)
    assert not one_run(start(1), asked, decided("allowed"), by_a_person, ok=1)
    assert "does not have" in " ".join(one_run(start(1), by_a_person, ok=1))
    refused = (start(1), asked, decided(answer))
    assert "does not have" in " ".join(one_run(*refused, by_a_person, ok=1))
    assert f"approval was {answer}" in " ".join(one_run(*refused, settled(1), ok=1))
    assert not one_run(*refused, settled(1, "denied"), denied=1)


@pytest.mark.spec("PIPELINE 14.1")
def test_stages_come_in_their_order_and_none_twice() -> None:
    def hook(stage: str, name: str) -> list[Step]:
        both = {"hook_id": name, "hook": name, "stage": stage, "call_id": "c1:code:1"}
        return [("hook/invoked", both), ("hook/result", {**both, "outcome": "ok"})]

    honest = [*hook("pre", "a"), *hook("guard", "b"), *hook("post", "c")]
    assert not one_run(start(1), *honest, settled(1), ok=1)
    backwards = [*hook("post", "c"), *hook("pre", "a")]
    assert "after a later one" in " ".join(one_run(start(1), *backwards, settled(1), ok=1))
    twice = [hook("pre", "a")[0], *hook("pre", "a")]
    assert "invoked twice" in " ".join(one_run(start(1), *twice, settled(1), ok=1))
    assert "has a result without" in " ".join(one_run(hook("pre", "a")[1]))
    assert "hook a has no result" in " ".join(one_run(hook("pre", "a")[0]))


@pytest.mark.spec("PIPELINE 14.3")
def test_events_lie_inside_an_open_turn_that_they_name() -> None:
    assert "outside of any turn" in " ".join(faults(OPEN, call("a")))
    wrong: Step = ("fs/x", {"_turn": 2})
    assert "names turn 2, but 1 is open" in " ".join(faults(OPEN, TURN, wrong))
    assert "inside turn 1" in " ".join(faults(OPEN, TURN, ("turn/open", {"_turn": 2})))
    assert "does not follow turn 1" in " ".join(faults(OPEN, TURN, END, TURN))
    assert "outside of any turn" in " ".join(faults(OPEN, END))
    step: Step = ("step/open", {"mode": "code", "_step": 1})
    assert "does not follow step 1" in " ".join(faults(OPEN, TURN, step, step))


@pytest.mark.spec("CODE_MODE 6.10")
def test_a_session_begins_once_and_ends_once() -> None:
    assert "does not begin with session/open" in " ".join(faults(TURN))
    assert "inside a session" in " ".join(faults(OPEN, OPEN))
    close: Step = ("session/close", {})
    assert "after the end of the session" in " ".join(faults(OPEN, close, TURN))
    wrong: Step = ("session/close", {"count": 7, "head": "0" * 64})
    assert "does not match the events before it" in " ".join(faults(OPEN, wrong))
    assert "turn 1 is open" in " ".join(faults(OPEN, TURN, closed=True))


def test_a_live_session_names_its_open_ends() -> None:
    checker = InvariantChecker()
    assert checker.open_ends() == []
    assert not checker.dangling().has_turn
