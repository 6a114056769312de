"""Redaction: what the log holds instead of secrets, and how it says so."""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from codemode.runtime.log import COMMON_SECRETS, Redactor, SessionLog, read_events
from codemode.runtime.log.canonical import encode, sha256_of
from codemode.runtime.log.events import check_written, settle
from codemode.runtime.log.redaction import REDACTED, WITHHELD
from codemode.runtime.log.stores.memory import MemoryStore
from codemode.sandbox.values import Json

KEY = b"a key of the host's own"
START: dict[str, Any] = {
    "root_call_id": "c",
    "parent_call_id": "c",
    "sub_call_id": "c:code:1",
    "name": "login",
    "arguments": {"user": "ada", "password": "hunter2", "deep": [{"api_key": "k", "n": 1}]},
    "arguments_sha256": sha256_of({"user": "ada"}),
}


def apply(redactor: Redactor, kind: str, data: Mapping[str, Any]) -> dict[str, Any]:
    fields = redactor.apply(kind, settle(kind, data))
    check_written(kind, fields)
    return fields


@pytest.mark.spec("CODE_MODE 6.7")
def test_values_under_telling_keys_are_replaced_and_marked() -> None:
    fields = apply(Redactor(COMMON_SECRETS), "tool/code-dispatch-start", START)
    assert fields["arguments"] == {
        "user": "ada",
        "password": REDACTED,
        "deep": [{"api_key": REDACTED, "n": 1}],
    }
    assert fields["redacted"] == ["arguments"]
    assert fields["name"] == "login"


@pytest.mark.spec("CODE_MODE 6.7")
def test_a_digest_becomes_an_hmac_under_the_hosts_key_or_goes() -> None:
    kind = "tool/code-dispatch-start"
    assert "arguments_sha256" not in apply(Redactor(COMMON_SECRETS), kind, START)
    plain = START["arguments_sha256"]
    expected = hmac.new(KEY, plain.encode(), hashlib.sha256).hexdigest()
    fields = apply(Redactor(COMMON_SECRETS, key=KEY), kind, START)
    assert fields["arguments_sha256"] == f"hmac-sha256:{expected}"


def test_an_event_without_secrets_is_left_as_it_is() -> None:
    data = settle("tool/code-dispatch-start", {**START, "arguments": {"query": "x"}})
    assert Redactor(COMMON_SECRETS).apply("tool/code-dispatch-start", data) is data


@pytest.mark.spec("CODE_MODE 6.7")
@pytest.mark.parametrize(
    ("kind", "data", "field"),
    [
        ("tool/call", {"call_id": "c", "name": "n", "arguments": '{"q": "S3CRET"}'}, "arguments"),
        ("tool/result", {"call_id": "c", "is_error": False, "content": "S3CRET"}, "content"),
        (
            "tool/code-run-start",
            {"call_id": "c", "program": "x = 'S3CRET'", "isolation": {}, "limits": {}},
            "program",
        ),
        ("assistant/message", {"content": "S3CRET"}, "content"),
        ("user/message", {"content": [{"text": "S3CRET"}], "source": "user"}, "content"),
        (
            "approval/asked",
            {"approval_id": "a", "call_id": "c", "name": "n", "reason": "S3CRET"},
            "reason",
        ),
        (
            "tool/result",
            {
                "call_id": "c",
                "is_error": True,
                "decision": {"outcome": "deny", "layer": "pre", "reason": "S3CRET"},
            },
            "decision.reason",
        ),
        (
            "tool/code-dispatch-refused",
            {
                "root_call_id": "c",
                "parent_call_id": "c",
                "reason": "limit",
                "detail": "S3CRET is too long",
            },
            "detail",
        ),
        ("fs/observed", {"path": "S3CRET"}, "path"),
    ],
)
def test_the_hook_sees_every_field_that_may_carry_a_secret(
    kind: str, data: dict[str, Any], field: str
) -> None:
    def hook(kind: str, fields: dict[str, Any]) -> Mapping[str, Json]:
        return {
            name: json.loads(encode(value).decode().replace("S3CRET", "…"))
            for name, value in fields.items()
        }

    fields = Redactor(hook).apply(kind, settle(kind, data))
    assert b"S3CRET" not in encode(fields)
    assert fields["redacted"] == [field]


@pytest.mark.spec("CODE_MODE 6.7")
@pytest.mark.parametrize("fault", ["raises", "forgets", "gives nonsense"])
def test_a_hook_that_fails_withholds_its_fields(fault: str) -> None:
    def hook(kind: str, fields: dict[str, Any]) -> Mapping[str, Any]:
        if fault == "raises":
            raise RuntimeError("S3CRET")
        return {} if fault == "forgets" else {"arguments": object()}

    fields = apply(Redactor(hook), "tool/code-dispatch-start", START)
    assert fields["arguments"] == WITHHELD
    assert "hunter2" not in str(fields)
    assert fields["redacted"] == ["arguments"]


def test_a_hook_changes_the_logged_copy_only() -> None:
    def hook(kind: str, fields: dict[str, Any]) -> Mapping[str, Json]:
        fields["arguments"].clear()
        return fields

    data = settle("tool/code-dispatch-start", START)
    assert Redactor(hook).apply("tool/code-dispatch-start", data)["arguments"] == {}
    assert data["arguments"] == START["arguments"]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Authorization: Bearer abcdefghijklmnop", "abcdefghijklmnop"),
        ("postgres://ada:hunter2@db/x", "hunter2"),
        ("password = 'correct horse'", "correct"),
        ("key AKIAABCDEFGHIJKLMNOP here", "AKIA"),
        ("ghp_" + "a" * 36, "ghp_"),
        ("-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----", "MII"),
        ('{"token": "abcdefgh"}', "abcdefgh"),
    ],
)
def test_texts_that_look_like_secrets_are_replaced(text: str, gone: str) -> None:
    cleaned = COMMON_SECRETS("user/message", {"content": ["before", text]})
    assert gone not in str(cleaned)
    assert "before" in str(cleaned)
    assert REDACTED in str(cleaned)


def test_keys_in_the_raw_string_of_a_call_count_too() -> None:
    raw = '{"user": "ada", "password": "x"}'
    cleaned = COMMON_SECRETS("tool/call", {"arguments": raw})
    assert json.loads(str(cleaned["arguments"])) == {"user": "ada", "password": REDACTED}
    kept = '{"a":  1}'
    assert COMMON_SECRETS("tool/call", {"arguments": kept})["arguments"] == kept
    assert COMMON_SECRETS("tool/call", {"arguments": "{not json"})["arguments"] == "{not json"


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        Redactor(COMMON_SECRETS, key=b"short")


@pytest.mark.anyio
async def test_no_preview_of_a_large_field_escapes_redaction() -> None:
    store = MemoryStore()
    data = {**START, "arguments": {"password": "S3CRET", "text": "x" * 100_000}}
    async with SessionLog(store, "s", redact=Redactor(COMMON_SECRETS)) as log:
        log.emit("tool/code-dispatch-start", data)
    event = list(read_events(store, "s"))[1]
    assert "$preview" in event.data["arguments"]
    assert b"S3CRET" not in event.body()


@pytest.mark.spec("CODE_MODE 6.7")
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="any depth that is settled is compared")
def test_an_answer_that_cannot_even_be_compared_withholds_the_field() -> None:
    deep: list[Any] = []
    for _ in range(4_000):
        deep = [deep]
    start = {**START, "arguments": {"value": deep}}
    hook = Redactor(lambda kind, fields: {"arguments": {"value": deep}})
    fields = hook.apply("tool/code-dispatch-start", settle("tool/code-dispatch-start", start))
    assert fields["arguments"] == WITHHELD
    assert fields["withheld"] is True
