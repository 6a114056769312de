"""Events: validated when written and when read, unknown ones kept."""

from __future__ import annotations

from typing import Any

import pytest

from codemode.runtime.log import Event, InvalidEventError, LogCorruptError, Record, chain
from codemode.runtime.log.canonical import encode
from codemode.runtime.log.events import (
    check_written,
    is_foreign,
    read_fault,
    schema_of,
    settle,
)
from codemode.runtime.log.vocabulary import TYPES
from codemode.sandbox.values import FrozenDict

KIND = "tool/code-dispatch-start"
START: dict[str, Any] = {
    "root_call_id": "c",
    "parent_call_id": "c",
    "sub_call_id": "c:code:1",
    "name": "search",
    "arguments": {"query": "x"},
}


def event(kind: str, data: dict[str, Any], *, version: int = 1) -> Event:
    return Event(
        seq=1,
        time="2031-05-01T12:00:00.000000Z",
        session="s",
        turn=1,
        step=None,
        type=kind,
        version=version,
        data=FrozenDict(data),
        prev=chain.GENESIS,
        hash="0" * 64,
    )


@pytest.mark.spec("CODE_MODE 6.10")
def test_the_vocabulary_is_whole_and_each_type_has_a_schema_and_a_version() -> None:
    wanted = {
        "session/open", "session/close", "turn/open", "turn/close", "step/open",
        "assistant/message", "user/message", "approval/asked", "approval/decided", "hook/invoked",
        "hook/result", "batch/open", "batch/settled", "tool/deferred", "tool/late-settlement",
        "log/repaired", "tool/call", "tool/result", "tool/code-run-start", "tool/code-run",
        "tool/code-dispatch-start", "tool/code-dispatch", "tool/code-dispatch-refused",
    }  # fmt: skip
    assert wanted <= TYPES.keys()
    for kind, model in TYPES.items():
        assert model.version >= 1
        assert schema_of(kind)["type"] == "object"


NESTED = "root_call_id parent_call_id sub_call_id name"


@pytest.mark.spec(
    "CODE_MODE 6.1", "CODE_MODE 6.2", "CODE_MODE 6.3", "CODE_MODE 6.4", "CODE_MODE 6.5"
)
@pytest.mark.parametrize(
    ("kind", "required", "optional"),
    [
        ("tool/call", "call_id name arguments", "effective_arguments"),
        ("tool/result", "call_id is_error", "content error_info meta decision stops_turn"),
        (
            "tool/code-run-start",
            "call_id program isolation limits",
            "program_sha256 sdk_sha256 mode seed clock",
        ),
        ("tool/code-run", "call_id outcome usage", "kind"),
        (
            "tool/code-dispatch-start",
            f"{NESTED} arguments",
            "effective_arguments arguments_sha256 line",
        ),
        (
            "tool/code-dispatch",
            f"{NESTED} outcome is_error",
            "error decision content replaced_by truncated locator value_sha256 value_bytes"
            " duration_ms meta contexts concludes_turn",
        ),
        (
            "tool/code-dispatch-refused",
            "root_call_id parent_call_id reason",
            "ordinal name claimed_by",
        ),
        ("tool/late-settlement", "sub_call_id outcome", "digest"),
    ],
)
def test_each_event_has_the_fields_that_readers_count_on(
    kind: str, required: str, optional: str
) -> None:
    fields = TYPES[kind].model_fields
    assert {name for name, info in fields.items() if info.is_required()} == set(required.split())
    assert set(optional.split()) <= fields.keys()


@pytest.mark.spec("CODE_MODE 6.4")
def test_a_nested_call_settles_in_one_of_eight_ways() -> None:
    ids = dict.fromkeys(NESTED.split(), "x")
    kind = "tool/code-dispatch"
    for outcome in [
        "ok",
        "error",
        "denied",
        "deferred",
        "stopped",
        "aborted",
        "discarded",
        "unknown",
    ]:
        assert check_written(kind, settle(kind, {**ids, "outcome": outcome, "is_error": True}))
    with pytest.raises(InvalidEventError, match="outcome"):
        check_written(kind, settle(kind, {**ids, "outcome": "fine", "is_error": True}))


@pytest.mark.spec("CODE_MODE 6.6")
def test_no_event_has_a_field_for_the_canonical_value() -> None:
    assert all("value" not in model.model_fields for model in TYPES.values())


@pytest.mark.spec("AUDIT 1.1", "CODE_MODE 6.3")
def test_a_known_type_is_checked_field_by_field() -> None:
    assert check_written("tool/code-dispatch-start", settle(KIND, START)) == 1
    for change in ({"extra": 1}, {"line": "7"}, {"arguments_sha256": "abc"}, {"name": 3}):
        with pytest.raises(InvalidEventError, match=next(iter(change))):
            check_written("tool/code-dispatch-start", settle(KIND, {**START, **change}))
    with pytest.raises(InvalidEventError, match="sub_call_id"):
        check_written("tool/code-dispatch-start", settle(KIND, {**START, "sub_call_id": None}))


def test_a_refusal_names_the_field_and_not_its_value() -> None:
    with pytest.raises(InvalidEventError) as caught:
        check_written("tool/code-dispatch-start", settle(KIND, {**START, "name": ["hunter2"]}))
    assert "hunter2" not in str(caught.value)


@pytest.mark.spec("PIPELINE 15.1")
def test_a_tool_writes_in_a_namespace_of_its_own_only() -> None:
    assert check_written("fs/observed", settle("fs/observed", {"path": "a"})) == 1
    for kind in ("tool/mine", "session/x", "Observed", "fs/", "/x", "fs observed", "fs/x\n"):
        with pytest.raises(InvalidEventError):
            check_written(kind, settle(kind, {}))


def test_what_is_not_lossless_json_is_refused() -> None:
    for value in ({1, 2}, float("nan"), b"x", {"a": object()}, ["\ud800"]):
        with pytest.raises(InvalidEventError, match="not lossless"):
            settle("fs/x", {"x": value})


def test_fields_are_frozen_and_none_is_left_out() -> None:
    source = {"a": [1], "b": None}
    fields = settle("fs/x", source)
    source["a"].append(2)  # type: ignore[union-attr] # a list
    assert fields == {"a": [1]}
    with pytest.raises(TypeError, match="frozen"):
        fields["a"].append(3)


@pytest.mark.spec("AUDIT 1.1")
def test_newer_types_and_versions_are_kept_and_not_judged() -> None:
    for newer in (event("tool/teleport", {"x": 1}), event("tool/code-run", {"y": 1}, version=2)):
        assert is_foreign(newer)
        assert read_fault(newer) == ""
        assert Record("s", 1, newer.type, newer.body(), "0" * 64).event() == newer


@pytest.mark.spec("AUDIT 1.1")
def test_a_known_event_is_checked_when_it_is_read() -> None:
    assert read_fault(event("tool/code-dispatch-start", START)) == ""
    assert "line" in read_fault(event("tool/code-dispatch-start", {**START, "line": "7"}))


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 0}, {"seq": True}, {"turn": "1"}, {"time": "yesterday"}, {"prev": "x"},
        {"data": 3}, {"extra": 1}, {"version": 0}, {"session": 1},
    ],
)  # fmt: skip
def test_a_record_that_is_no_event_says_so(change: dict[str, Any]) -> None:
    whole = event("fs/x", {}).as_json()
    del whole["hash"]
    body = encode({**whole, **change})
    with pytest.raises(LogCorruptError):
        Record("s", 1, "fs/x", body, "0" * 64).event()
    with pytest.raises(LogCorruptError):
        Record("s", 1, "fs/x", b"nonsense", "0" * 64).event()
