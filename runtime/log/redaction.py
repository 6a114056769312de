"""Keeping secrets out of the log: a hook, ready-made rules, and digests that do not give them away.

The hook changes the logged copy only. What it replaced is marked in the event's `redacted`, and is
not replayable. Digests stay those of what ran: for a redacted field an HMAC of the digest under a
key that the host keeps, or nothing without a key, since the digest of a short secret can be
guessed. A hook that fails withholds its fields rather than let them through.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from codemode.runtime.log.vocabulary import TYPES
from codemode.sandbox.values import FrozenDict, Json, snapshot, thaw

#: Given the event's type and its sensitive fields (mutable copies); gives what the log may hold.
#: Fields that it leaves out are taken as withheld.
Redact = Callable[[str, dict[str, Any]], Mapping[str, Json]]

REDACTED: Final = "[redacted]"
WITHHELD: Final = "[withheld: the redaction hook failed]"

_HMAC: Final = "hmac-sha256:"


class Redactor:
    """Applies a host's hook to events on their way into the log.

    Args:
        hook: See `Redact`.
        key: Secret of the host, at least 16 bytes, for digests of redacted fields.
    """

    def __init__(self, hook: Redact, *, key: bytes | None = None) -> None:
        if key is not None and len(key) < 16:
            raise ValueError("a redaction key has at least 16 bytes")
        self._hook = hook
        self._key = key

    def apply(self, kind: str, data: FrozenDict) -> FrozenDict:
        """The fields that may be written; the same object if nothing was replaced."""
        before = _sensitive(kind, data)
        if not before:
            return data
        failed = False
        after: dict[str, Any]
        try:
            given = self._hook(kind, {name: thaw(value) for name, value in before.items()})
            after = {name: snapshot(given.get(name, WITHHELD)) for name in before}
            changed = [name for name in before if after[name] != before[name]]
        except Exception:  # noqa: BLE001 - host code; its failure must not let a secret through
            after, failed = dict.fromkeys(before, WITHHELD), True
            changed = list(before)
        if not changed:
            return data
        fields: dict[str, Any] = dict(data)
        for name in changed:
            _put(fields, name, after[name])
        self._hide_digests(kind, changed, fields)
        fields["redacted"] = changed
        if failed:
            fields["withheld"] = True
        return cast("FrozenDict", snapshot(fields))

    def for_people(self, name: str, arguments: Mapping[str, Json]) -> Mapping[str, Any]:
        """What a person who is asked may see of a call's arguments: what the log will say of it."""
        asked = FrozenDict({"name": name, "arguments": snapshot(dict(arguments))})
        shown = self.apply("approval/asked", asked)["arguments"]
        return cast("FrozenDict", shown) if isinstance(shown, dict) else {"arguments": shown}

    def _hide_digests(self, kind: str, changed: list[str], fields: dict[str, Any]) -> None:
        model = TYPES.get(kind)
        digests = model.digests if model is not None else {}
        names = {name for field in changed for name in digests.get(field, ())}
        for name in names & fields.keys():
            if self._key is None:
                del fields[name]
            else:
                digest = hmac.new(self._key, str(fields[name]).encode(), hashlib.sha256)
                fields[name] = _HMAC + digest.hexdigest()


def _sensitive(kind: str, data: FrozenDict) -> dict[str, Json]:
    """The fields of an event that redaction sees, by dotted path: all of a tool's own event."""
    model = TYPES.get(kind)
    if model is None:
        return dict(data)
    fields: dict[str, Json] = {}
    for path in model.sensitive:
        value: Any = data
        for name in path.split("."):
            value = cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None
        if value is not None:
            fields[path] = value
    return fields


def _put(fields: dict[str, Any], path: str, value: Json) -> None:
    """Replace what a dotted path leads to; the objects on the way are copied, not changed."""
    *outer, last = path.split(".")
    for name in outer:
        fields[name] = dict(fields[name])
        fields = fields[name]
    fields[last] = str(value) if outer else value


@dataclass(frozen=True, slots=True)
class Rules:
    """A ready-made hook: values under telling keys, and texts that look like secrets.

    Attributes:
        keys: Matched against the keys of objects, whole and without regard to case.
        patterns: What they match in any text is replaced; with a group, only the group is.
    """

    keys: re.Pattern[str]
    patterns: tuple[re.Pattern[str], ...]

    def __call__(self, kind: str, fields: dict[str, Any]) -> Mapping[str, Json]:
        """Replace what the rules match, at any depth."""
        return {name: self._field(name, value) for name, value in fields.items()}

    def _field(self, name: str, value: Json) -> Json:
        if name == "arguments" and isinstance(value, str) and value.lstrip().startswith("{"):
            # The raw string of a model's call: keys count in it too.
            try:
                parsed = json.loads(value)
            except (ValueError, RecursionError):
                return self._text(value)
            cleaned = self._clean(parsed)
            return value if cleaned == parsed else json.dumps(cleaned, ensure_ascii=False)
        return self._clean(value)

    def _clean(self, value: Json) -> Json:
        """A copy with everything replaced that the rules match; iterative, for deep values."""
        root: list[Json] = [value]
        stack: list[Any] = [root]
        while stack:
            container = stack.pop()
            is_list = isinstance(container, list)
            if not is_list:
                self._clean_keys(container)
            places: list[tuple[Any, Any]] = list(
                enumerate(cast("list[Any]", container)) if is_list else container.items()
            )
            for key, item in places:
                if not is_list and self.keys.fullmatch(key) and item is not None:
                    container[key] = REDACTED
                elif isinstance(item, str):
                    container[key] = self._text(item)
                elif isinstance(item, dict | list):
                    copied = cast("dict[str, Any] | list[Any]", item).copy()
                    container[key] = copied
                    stack.append(copied)
        return root[0]

    def _clean_keys(self, fields: dict[str, Any]) -> None:
        """A secret may be a key as well; the order stays, and no field takes another's place."""
        if all(self._text(key) == key for key in fields):
            return
        members = list(fields.items())
        fields.clear()
        for at, (key, item) in enumerate(members):
            name = self._text(key)
            fields[f"{name} [{at}]" if name in fields else name] = item

    def _text(self, text: str) -> str:
        for pattern in self.patterns:
            text = pattern.sub(_replacement, text)
        return text


def _replacement(match: re.Match[str]) -> str:
    if not match.re.groups:
        return REDACTED
    start, end = match.span(1)
    whole, offset = match[0], match.start()
    return whole[: start - offset] + REDACTED + whole[end - offset :]


#: Keys and patterns for common secrets: a second line, not a promise.
COMMON_SECRETS: Final = Rules(
    keys=re.compile(
        r"(?:.*[_-])?(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key"
        r"|private[_-]?key|authorization|cookie|credentials?)",
        re.IGNORECASE,
    ),
    patterns=(
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----"),
        re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
        re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}\b"),
        re.compile(r"\bgithub_pat_[A-Za-z0-9_]{40,}\b"),
        re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
        re.compile(r"\bsk-[A-Za-z0-9_-]{20,}"),
        re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
        re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
        re.compile(r"(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{12,})"),
        re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:([^\s/@]+)@"),
        re.compile(
            r"(?i)\b(?:password|passwd|secret|token|api[_-]?key)\b[\"']?\s*[=:]\s*[\"']?"
            r"([^\s\"',;]{6,})"
        ),
    ),
)
