"""The fast path of validation never accepts what pydantic refuses, and takes the hot types."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from codemode.runtime.log.canonical import encode
from codemode.runtime.log.quick import quick_of
from codemode.runtime.log.vocabulary import TYPES, Data
from codemode.sandbox.values import FrozenDict

HASH = "0123456789abcdef" * 4
ERROR = {"name": "E", "code": "DENIED", "layer": "pre", "body_started": False}
DECISION = {
    "outcome": "deny",
    "layer": "approval",
    "rule": "r",
    "reason": "",
    "approval": {"outcome": "rejected", "by": "cli", "waited_ms": 3, "remembered": False},
}

#: Values of which each is right for some field and wrong for most.
odd = st.one_of(
    st.sampled_from(
        [HASH, f"hmac-sha256:{HASH}", HASH[1:], HASH.upper(), f"{HASH}\n", "ok", "denied", "native",
         "guest", "limit", "", ERROR, DECISION, {**ERROR, "x": 1}, {**DECISION, "layer": "x"},
         {**ERROR, "body_started": 0}, FrozenDict(ERROR), [], ["a"], {}, 0, 1, -1, True, 1.5, -0.5,
         float("inf"), float("nan"), 1 << 70, b"x", (1,)]
    ),
    st.text(max_size=3),
    st.integers(),
    st.floats(),
)  # fmt: skip


@st.composite
def events(draw: st.DrawFn) -> tuple[type[Data], dict[str, Any]]:
    model = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    names = [*model.model_fields, "surprise"]
    required = [n for n, info in model.model_fields.items() if info.is_required()]
    chosen = draw(st.lists(st.sampled_from(names), unique=True))
    return model, {name: draw(odd) for name in {*required, *chosen}}


def refused_fields(model: type[Data], data: dict[str, Any]) -> set[object]:
    try:
        TypeAdapter(model).validate_python(data)
    except ValidationError as error:
        return {fault["loc"][0] for fault in error.errors()}
    return set()


@pytest.mark.spec("AUDIT 1.1")
@given(events())
def test_what_the_fast_path_accepts_pydantic_accepts(
    made: tuple[type[Data], dict[str, Any]],
) -> None:
    model, data = made
    if quick_of(model).accepts(data):
        assert not refused_fields(model, data)


@given(st.sampled_from(sorted(TYPES)), st.data())
def test_each_field_alone_is_judged_alike(kind: str, data: st.DataObject) -> None:
    """Soundness a field at a time, where a whole event would rarely get so far."""
    model = TYPES[kind]
    name = data.draw(st.sampled_from(sorted(model.model_fields)))
    value = data.draw(odd)
    if quick_of(model).fields[name](value):
        assert name not in refused_fields(model, {name: value})


def test_the_hot_events_take_the_fast_path() -> None:
    ids = {"root_call_id": "c", "parent_call_id": "c", "sub_call_id": "c:code:1", "name": "t"}
    start: dict[str, Any] = {**ids, "arguments": {}, "arguments_sha256": HASH, "line": 3}
    end: dict[str, Any] = {
        **ids, "outcome": "denied", "is_error": True, "error": ERROR, "decision": DECISION,
        "content": "x", "content_sha256": HASH, "replaced_by": "spill", "truncated": False,
        "value_sha256": HASH, "value_bytes": 3, "duration_ms": 1.5, "meta": {}, "contexts": 0,
        "concludes_turn": False,
    }  # fmt: skip
    for kind, data in (("tool/code-dispatch-start", start), ("tool/code-dispatch", end)):
        assert quick_of(TYPES[kind]).accepts(data)
        assert not refused_fields(TYPES[kind], data)


def test_fields_that_may_hold_anything_are_known() -> None:
    assert quick_of(TYPES["tool/code-dispatch-start"]).free == {"arguments", "effective_arguments"}
    assert quick_of(TYPES["tool/code-dispatch"]).free == {"content", "meta"}
    assert encode({}) == b"{}"
