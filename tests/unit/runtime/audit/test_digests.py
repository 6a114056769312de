"""Digests inside an event are held against its values, and an honest event is never accused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codemode.runtime.audit.digests import digest_faults
from codemode.runtime.audit.verify import verify
from codemode.runtime.log import Event, Record, Redactor, SessionLog, open_store, read_events
from codemode.runtime.log.canonical import encode, sha256_of
from codemode.runtime.log.chain import GENESIS, digest
from codemode.runtime.log.redaction import COMMON_SECRETS
from codemode.runtime.log.stores.memory import MemoryStore

HISTORIES = Path(__file__).parents[3] / "histories"
#: `v1_fields` has every field of every event, with made-up digests.
TRUE_HISTORIES = ["v1.jsonl", "v1_cut.jsonl", "v1_repaired.jsonl"]
IDS = {"root_call_id": "c", "parent_call_id": "c", "sub_call_id": "c:code:1", "name": "pay"}
START = "tool/code-dispatch-start"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)  # fmt: skip


def logged(kind: str, data: dict[str, Any], redact: Redactor | None = None) -> Event:
    """The event as a log has it: redacted, shortened, encoded and read again."""
    store = MemoryStore()

    async def write() -> None:
        async with SessionLog(store, "s", redact=redact) as log:
            log.emit(kind, data)

    anyio.run(write)
    return list(read_events(store, "s"))[1]


def started(arguments: object, **more: object) -> dict[str, Any]:
    received = more.get("effective_arguments", arguments)
    return {**IDS, "arguments": arguments, "arguments_sha256": sha256_of(received), **more}  # type: ignore[arg-type] # any JSON


@given(arguments=st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_no_honest_arguments_are_accused(arguments: dict[str, Any]) -> None:
    assert list(digest_faults(logged(START, started(arguments)))) == []


@pytest.mark.spec("AUDIT 2.2")
def test_other_arguments_than_the_digest_says_are_found() -> None:
    event = logged(START, started({"cents": 480_000}))
    forged = replace(event, data={**event.data, "arguments": {"cents": 48_000}})
    (fault,) = digest_faults(forged)
    assert "the arguments of c:code:1 do not have their digest" in fault


def test_what_the_body_received_is_what_the_digest_is_of() -> None:
    event = logged(START, started({"cents": "5"}, effective_arguments={"cents": 5}))
    assert list(digest_faults(event)) == []
    forged = replace(event, data={**event.data, "effective_arguments": {"cents": 6}})
    assert len(list(digest_faults(forged))) == 1


def test_shortened_arguments_are_held_against_the_digest_of_their_preview() -> None:
    event = logged(START, started({"text": "x" * 100_000}))
    assert event.data["arguments"].keys() == {"$preview"}
    assert list(digest_faults(event)) == []
    inner = {**event.data["arguments"]["$preview"], "sha256": "ab" * 32}
    forged = replace(event, data={**event.data, "arguments": {"$preview": inner}})
    assert len(list(digest_faults(forged))) == 1


@pytest.mark.parametrize("value", ["text", {"sha256": "ab" * 32}, {}, None])
def test_an_argument_that_is_called_like_a_preview_is_no_preview(value: object) -> None:
    assert list(digest_faults(logged(START, started({"$preview": value})))) == []


@pytest.mark.parametrize("key", [None, b"k" * 16])
def test_redacted_arguments_have_no_digest_to_be_held_against(key: bytes | None) -> None:
    redact = Redactor(COMMON_SECRETS, key=key)
    event = logged(START, started({"password": "hunter2"}), redact)
    assert list(event.data["redacted"]) == ["arguments"]
    assert list(digest_faults(event)) == []


def test_arguments_as_text_are_not_judged() -> None:
    data = {**IDS, "arguments": "{not JSON", "arguments_sha256": sha256_of({})}
    assert list(digest_faults(logged(START, data))) == []


@pytest.mark.parametrize("name", TRUE_HISTORIES)
def test_no_recorded_history_is_accused(name: str) -> None:
    store = open_store(HISTORIES / name, read_only=True)
    events = [event for session in store.sessions() for event in read_events(store, session)]
    assert [fault for event in events for fault in digest_faults(event)] == []
    store.close()


@pytest.mark.spec("AUDIT 2.2")
@pytest.mark.parametrize(
    ("honest", "forged", "found"),
    [
        ('"query":"first"', '"query":"other"', "do not have their digest, `arguments_sha256`"),
        ("tools.save(", "tools.sav3(", "does not have its digest, `program_sha256`"),
    ],
)
def test_verify_finds_a_chain_made_anew_over_another_value(
    honest: str, forged: str, found: str
) -> None:
    source = open_store(HISTORIES / "v1_repaired.jsonl", read_only=True)
    (session,) = source.sessions()
    store, head, has_changed = MemoryStore(), GENESIS, False
    for event in read_events(source, session):
        text = json.dumps(event.as_json())
        is_target = event.type in (START, "tool/code-run-start") and not has_changed
        compact = encode(json.loads(text)).decode()
        if is_target and honest in compact:
            has_changed, compact = True, compact.replace(honest, forged)
        fields: dict[str, Any] = {**json.loads(compact), "prev": head}
        del fields["hash"]
        if event.type == "session/close":
            fields["data"]["head"] = head
        body = encode(fields)
        head = digest(body)
        store.append([Record(session, event.seq, event.type, body, head)])
    source.close()
    report = verify(store)
    assert has_changed
    assert [fault.message for fault in report.faults if found not in fault.message] == []
    assert report.first_broken is not None
