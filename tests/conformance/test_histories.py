"""Recorded logs of each event version, read for ever.

A history is never written anew. A change of the vocabulary that old readers would misread raises
the event's version; then a history of that version is added here, beside those of the versions before.
`v1` is an honest session, `v1_cut` that of a host which was killed in the middle of a call, `v1_repaired`
the same after `codemode audit repair`, `v1_fields` has each field of each event that there was when it was
made, and `v1_resumed` goes on with an interrupted run.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import jsonschema_rs
import pytest

from codemode.runtime.audit import build_tree, render_html, render_tree, verify
from codemode.runtime.log import Event, Record, open_store
from codemode.runtime.log.events import is_foreign, read_fault
from codemode.runtime.log.vocabulary import TYPES

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "histories"
#: Of the files: a history that changes is none.
DIGESTS = {
    "v1": "5878c81345154e8a24a0f5b7f497139fee97d5f863039a2422820f40f990af7a",
    "v1_cut": "ddc94f381d8c3aacf3e74a90269c5d10e59f4bec3328b9a89b4cd471380921c4",
    "v1_repaired": "6abd2274dd7d2303231f1858fb611b9c2b6f1e3f2e8c99cd4e25d42fc2a65073",
    "v1_fields": "6fd03f4be730553ab25c3cf2b996835ea9673f77124442d7c54d7bc524553556",
    "v1_resumed": "56bc3b36b82f9a4ba1914978a88d9b4e7d3b552a2c8b577e59a688035c2aec1c",
}
#: What stands out of each in the words of `audit show`.
SHOWN = {
    "v1": ("DENIED", "UNKNOWN", "refused", "deferred", "ended late"),
    "v1_cut": ("not closed", "turn 1, mode code, open", "OPEN"),
    "v1_repaired": ("repaired after a crash: 2 settled unknown", "UNKNOWN"),
    "v1_fields": ("denied by costs (approval): it costs", "shop/sold", "redacted in the log"),
    "v1_resumed": ("resumed from call_", "restored: 1; answered by the host: 2"),
}


@cache
def records(name: str) -> tuple[Record, ...]:
    store = open_store(FOLDER / f"{name}.jsonl", read_only=True)
    try:
        return tuple(record for session in store.sessions() for record in store.read(session))
    finally:
        store.close()


def events(name: str) -> list[Event]:
    return [record.event() for record in records(name)]


@cache
def schemas() -> dict[str, jsonschema_rs.Validator]:
    table = json.loads((ROOT / "docs" / "schemas" / "events.json").read_text())
    return {kind: jsonschema_rs.validator_for(entry["data"]) for kind, entry in table.items()}


def test_every_history_is_known_and_unchanged() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(DIGESTS) == set(SHOWN)
    for name, digest in DIGESTS.items():
        assert hashlib.sha256((FOLDER / f"{name}.jsonl").read_bytes()).hexdigest() == digest, name


@pytest.mark.spec("AUDIT 1.1", "CODE_MODE 6.10")
@pytest.mark.parametrize("name", DIGESTS)
def test_a_history_verifies_and_reads_as_it_was_written(name: str) -> None:
    store = open_store(FOLDER / f"{name}.jsonl", read_only=True)
    report = verify(store)
    assert report.ok, report.faults
    assert report.sessions[0].is_closed == (name != "v1_cut")
    assert [event.body() for event in events(name)] == [record.body for record in records(name)]
    assert not any(read_fault(event) for event in events(name))
    text = render_tree(build_tree(events(name)))
    for words in SHOWN[name]:
        assert words in text
    assert render_html(store)
    store.close()


@pytest.mark.spec("AUDIT 1.1", "CODE_MODE 6.10")
@pytest.mark.parametrize("name", DIGESTS)
def test_the_published_schemas_accept_every_recorded_event(name: str) -> None:
    for event in events(name):
        if not is_foreign(event):
            schemas()[event.type].validate(event.as_json()["data"])


@pytest.mark.spec("CODE_MODE 6.10")
def test_the_histories_have_each_field_of_each_event_of_each_version() -> None:
    seen = {
        (event.type, event.version, field)
        for name in DIGESTS
        for event in events(name)
        for field in event.data
    }
    # What the writer's own anchors cannot carry.
    sealed = {"session/open", "session/close", "log/checkpoint"}
    wanted = {
        (kind, model.version, field)
        for kind, model in TYPES.items()
        for field in model.model_fields
        if not (kind in sealed and field in ("redacted", "withheld"))
    }
    assert wanted <= seen


@pytest.mark.spec("CODE_MODE 6.10")
def test_the_published_schemas_refuse_what_the_vocabulary_refuses() -> None:
    for event in events("v1_fields"):
        if is_foreign(event):
            continue
        data = event.as_json()["data"]
        assert isinstance(data, dict)
        assert not schemas()[event.type].is_valid({**data, "surprise": 1})
        for field, info in TYPES[event.type].model_fields.items():
            if info.is_required():
                without = {name: value for name, value in data.items() if name != field}
                assert not schemas()[event.type].is_valid(without), (event.type, field)
