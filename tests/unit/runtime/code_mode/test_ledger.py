from __future__ import annotations

import pytest

from codemode.runtime.code_mode.ledger import Ledger


def test_a_run_without_calls_has_an_empty_ledger() -> None:
    assert Ledger().text() == ""


@pytest.mark.spec("CODE_MODE 2.5")
def test_mutating_calls_whose_body_ran_are_named_one_by_one() -> None:
    ledger = Ledger()
    for number, (name, mutating, started) in enumerate(
        [("search", False, True), ("send_mail", True, True), ("pay", True, False)], start=1
    ):
        entry = ledger.open(number, name)
        entry.is_mutating, entry.body_started = mutating, started
        entry.outcome = "ok" if started else "denied"
    text = ledger.text()
    assert "- call 2: send_mail (completed)" in text
    assert "call 1" not in text
    assert "call 3" not in text
    assert "- denied: pay" in text


@pytest.mark.spec("CODE_MODE 2.5")
def test_a_call_that_never_settled_is_an_unknown_outcome() -> None:
    ledger = Ledger()
    ledger.open(1, "pay").body_started = True
    assert "- outcome unknown: pay" in ledger.text()
    assert "- call 1: pay (outcome unknown)" in ledger.text()
    assert ledger.counts() == {"unknown": 1}


def test_many_calls_of_one_tool_are_counted() -> None:
    ledger = Ledger()
    for number in range(1, 51):
        entry = ledger.open(number, "write")
        entry.outcome, entry.body_started = "ok", True
    text = ledger.text()
    assert "write x50" in text
    assert "and 30 more" in text


@pytest.mark.spec("AUDIT 3.4")
def test_calls_of_the_run_that_is_resumed_are_told_and_not_counted() -> None:
    ledger = Ledger()
    restored = ledger.restore(1, "write")
    restored.outcome, restored.body_started = "ok", True
    made = ledger.open(2, "write")
    made.outcome, made.body_started = "error", True
    assert ledger.counts() == {"error": 1}
    assert "- call 1: write (completed)\n- call 2: write (failed)" in ledger.text()
