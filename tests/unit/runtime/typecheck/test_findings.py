"""Findings as a model and a log read them."""

from __future__ import annotations

from codemode.runtime.typecheck.findings import Checked, Finding, advice, refusal

FINDING = Finding(line=3, column=5, rule="missing-argument", message="`tools.f` needs `a`")


def test_a_failure_is_explained_line_by_line() -> None:
    assert advice([FINDING]) == (
        "The type check of the program says:\n- line 3: `tools.f` needs `a` [missing-argument]"
    )
    assert advice([]) == ""


def test_a_refusal_says_that_nothing_was_run_and_what_to_do() -> None:
    text = refusal([FINDING])
    assert "nothing was run" in text
    assert "line 3: `tools.f` needs `a`" in text
    assert "No tool was called." in text


def test_a_check_that_was_not_made_says_so() -> None:
    assert Checked(skipped="it died").as_json() == {"findings": [], "skipped": "it died"}
    assert Checked(findings=(FINDING,)).as_json() == {"findings": [FINDING.as_json()]}
