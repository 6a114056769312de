"""Previews of large values."""

from __future__ import annotations

from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import pytest

from codemode.runtime.log import preview
from codemode.runtime.log.canonical import encode, sha256_of
from codemode.runtime.log.events import check_written, settle
from codemode.runtime.log.preview import MAX_FIELD_BYTES, is_preview, shorten
from codemode.runtime.log.vocabulary import TYPES, Part, Sha256
from codemode.sandbox.values import FrozenDict, Json, snapshot

BIG = "x" * (2 * MAX_FIELD_BYTES)


@pytest.mark.spec("CODE_MODE 6.4")
def test_a_preview_has_head_tail_size_and_digest() -> None:
    value: Json = {"rows": ["é" * 10_000, "end"]}
    facts = preview(value, locator="spill:7")["$preview"]
    assert facts["bytes"] == len(encode(value))
    assert facts["sha256"] == sha256_of(value)
    assert facts["locator"] == "spill:7"
    assert facts["head"].startswith('{"rows":["éé')
    assert facts["tail"].endswith('"end"]}')


def test_head_and_tail_of_a_short_value_do_not_overlap() -> None:
    facts = preview("abc" * 700)["$preview"]
    assert facts["head"] + facts["tail"] == "abc" * 700


def test_only_large_fields_are_shortened_and_the_program_never() -> None:
    data = shorten("shop/sold", FrozenDict({"a": BIG, "b": [1], "program": BIG}))
    assert is_preview(data["a"])
    assert data["b"] == [1]
    assert data["program"] == BIG
    assert not is_preview({"$preview": 1, "other": 2})


def largest(hint: Any) -> Any:
    """A large value of an annotation of the vocabulary."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any or hint is str:
        return BIG
    if hint == Sha256:
        return "ab" * 32
    if origin is Literal:
        return parts[0]
    if origin is list:
        return [largest(parts[0])]
    if origin is dict:
        return {"k" if parts[0] is str else largest(parts[0]): largest(parts[1])}
    if isinstance(hint, type) and issubclass(hint, Part):
        return large_part(hint)
    if hint is bool:
        return True
    options = [part for part in parts if part is not NoneType and not hasattr(part, "ge")]
    return 1 if hint is int or not options else largest(options[0])


def large_part(model: type[Part]) -> dict[str, Any]:
    hints = get_type_hints(model, include_extras=True)
    return {name: largest(hints[name]) for name in model.model_fields}


@pytest.mark.spec("AUDIT 1.1", "CODE_MODE 6.4")
@pytest.mark.parametrize("kind", sorted(TYPES))
def test_an_event_of_any_size_still_fits_its_schema(kind: str) -> None:
    fields = large_part(TYPES[kind])
    if "locator" in fields:
        fields["locator"] = "spill:7"
    large = settle(kind, fields)
    assert check_written(kind, large) == TYPES[kind].version
    short = shorten(kind, large)
    assert check_written(kind, short) == TYPES[kind].version
    for path in TYPES[kind].sensitive:
        if (name := path.partition(".")[0]) != "program":
            assert len(encode(cast("Json", short[name]))) < MAX_FIELD_BYTES, path


def test_a_reason_keeps_its_ends_size_and_digest_inside_its_decision() -> None:
    decision = {"outcome": "deny", "layer": "pre", "rule": "r", "reason": "head" + BIG + "tail"}
    fields: Json = {"decision": cast("Json", decision), "name": BIG}
    short = shorten("tool/code-dispatch", cast("FrozenDict", snapshot(fields)))
    reason = short["decision"]["reason"]
    assert reason.startswith("headx")
    assert reason.endswith("xtail")
    assert f"{len(BIG) + 8} characters, SHA-256 " in reason
    assert short["decision"]["rule"] == "r"
    assert short["name"] == BIG, "a name links events, so it is kept"
