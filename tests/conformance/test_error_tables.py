"""The tables of docs/errors.md name exactly what the code has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from codemode.runtime.result import PROGRAM_CODES
from codemode.sandbox.program import Kind

PAGE = (Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def names(heading: str) -> list[str]:
    """The first column, without its marks."""
    return [re.findall(r"`(\w+)`", row[0])[0] for row in rows(heading)]


@pytest.mark.spec("CODE_MODE 2.4")
def test_every_kind_of_failure_is_explained_once() -> None:
    assert sorted(names("A program failed: the kinds")) == sorted(get_args(Kind))


@pytest.mark.spec("CODE_MODE 3.4", "PIPELINE 6.16")
def test_every_code_that_a_program_sees_is_explained_once() -> None:
    assert sorted(names("A call failed: what a program sees")) == sorted(
        set(PROGRAM_CODES.values())
    )


@pytest.mark.spec("PIPELINE 6.16")
def test_every_pipeline_code_is_explained_once_with_what_becomes_of_it() -> None:
    table = {
        row[0].strip("` |"): row[1].strip("` ") for row in rows("A call failed: what a host sees")
    }
    assert table == dict(PROGRAM_CODES)


def test_every_row_says_what_to_do() -> None:
    headings = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    for heading in headings:
        for row in rows(heading):
            assert len(row) >= 3, row
            assert all(row), row
