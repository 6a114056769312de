from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from codemode.sandbox.limits import BY_NAME, TABLE, Limits, amount, markdown, passed

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.spec("SANDBOX 3.6", "SANDBOX 3.1")
def test_the_class_and_the_table_say_the_same() -> None:
    assert {field.name: field.default for field in fields(Limits)} == {
        limit.name: limit.default for limit in TABLE
    }


@pytest.mark.spec("SANDBOX 3.6")
def test_the_documentation_is_made_from_the_table() -> None:
    assert (ROOT / "docs" / "limits.md").read_text(encoding="utf-8") == markdown()


@pytest.mark.spec("SANDBOX 3.6")
@pytest.mark.parametrize("name", BY_NAME)
def test_each_message_names_the_value_and_how_to_raise_it(name: str) -> None:
    text = passed(name, BY_NAME[name].default)
    assert f"Limits({name}=...)" in text
    assert amount(BY_NAME[name].default, BY_NAME[name].unit) in text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (256 << 20, "bytes", "256 MiB"),
        (1000, "bytes", "1,000 bytes"),
        (0.5, "s", "0.5 s"),
        (1000, "calls", "1,000 calls"),
        (134217728.0, "bytes", "128 MiB"),
    ],
)
def test_amounts_are_for_people(value: float, unit: str, text: str) -> None:
    assert amount(value, unit) == text


@pytest.mark.spec("SANDBOX 3.1")
@pytest.mark.parametrize(
    "bad",
    [
        {"wall_s": 0},
        {"wall_s": -1},
        {"wall_s": float("nan")},
        {"wall_s": float("inf")},
        {"wall_s": "5"},
        {"calls": True},
        {"cpu_s": 1.5},
        {"calls": 10**12},
        {"nesting": 501},
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        Limits(**bad)
