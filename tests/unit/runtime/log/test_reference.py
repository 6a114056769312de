"""The published reference is what the code says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codemode.runtime.log.reference import markdown, schemas
from codemode.runtime.log.vocabulary import TYPES

DOCS = Path(__file__).parents[4] / "docs"


@pytest.mark.spec("CODE_MODE 6.10")
def test_the_published_events_are_those_of_the_code() -> None:
    hint = "run: python -m codemode.runtime.log.reference docs"
    assert (DOCS / "events.md").read_text() == markdown(), hint
    assert (DOCS / "schemas" / "events.json").read_text() == schemas(), hint


@pytest.mark.spec("CODE_MODE 6.10")
def test_every_field_says_its_type_and_who_vouches_for_it() -> None:
    text = markdown()
    for kind in TYPES:
        assert f"## `{kind}`" in text
    assert "| `line`? | integer | The program's line; *guest* |" in text
    assert set(json.loads(schemas())) == set(TYPES)
