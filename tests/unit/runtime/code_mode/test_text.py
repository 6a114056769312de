from __future__ import annotations

import pytest

from codemode.runtime.code_mode.text import EMPTY, failure_text, shorten, success_text
from codemode.sandbox.program import Failure, LogEntry


def out(text: str) -> LogEntry:
    return LogEntry(stream="stdout", text=text)


@pytest.mark.spec("CODE_MODE 2.3")
@pytest.mark.parametrize(
    ("logs", "has_result", "result", "expected"),
    [
        ([out("a\n"), out("b\n")], False, None, "a\nb"),
        ([], True, {"n": [1, "é"]}, '{"n": [1, "é"]}'),
        ([out("a\n")], True, "raw", "a\nraw"),
        ([], True, None, "null"),
        ([out("a\n")], True, None, "a"),
        ([], False, None, EMPTY),
        ([out("\n")], False, None, EMPTY),
    ],
)
def test_the_model_reads_the_output_then_the_result(
    logs: list[LogEntry], has_result: bool, result: object, expected: str
) -> None:
    assert success_text(logs, has_result=has_result, result=result) == expected  # type: ignore[arg-type]


@pytest.mark.spec("CODE_MODE 2.4", "CODE_MODE 2.5")
def test_a_failure_has_its_kind_traceback_output_and_ledger() -> None:
    failure = Failure(
        kind="exception", message="ZeroDivisionError: division by zero", traceback="Traceback ...\n"
    )
    text = failure_text(
        failure, [out("before\n")], "Tool calls of this program:\n- completed: f", budget=100
    )
    assert text.split("\n\n") == [
        "the program failed (exception): ZeroDivisionError: division by zero",
        "Traceback ...",
        "Printed before the failure:\nbefore",
        "Tool calls of this program:\n- completed: f",
    ]


@pytest.mark.spec("CODE_MODE 2.5")
def test_a_failure_without_calls_says_so() -> None:
    text = failure_text(Failure(kind="timeout", message="too long"), [], "", budget=10)
    assert text.endswith("No tool was called.")


@pytest.mark.spec("CODE_MODE 2.3")
def test_a_long_text_keeps_head_and_tail_and_says_what_is_missing() -> None:
    text = shorten("a" * 50 + "b" * 50, 30)
    assert text == "a" * 20 + "\n[... 70 characters left out ...]\n" + "b" * 10
    assert shorten("short", 30) == "short"
