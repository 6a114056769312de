"""The published page is the one that the tables make."""

from __future__ import annotations

from pathlib import Path

from codemode.sandbox.language.document import document


def test_the_page_in_docs_is_up_to_date() -> None:
    page = Path(__file__).parents[4] / "docs" / "language.md"
    assert page.read_text(encoding="utf-8") == document()


def test_the_page_names_every_module_and_refusal() -> None:
    page = document()
    for text in ("`json`", "`requests`", "`TryStar`", "`__globals__`", "`eval`"):
        assert text in page
