"""What the log keeps of a value that is too large for it: head, tail, size and digest."""

from __future__ import annotations

import hashlib
from typing import Final

from codemode.runtime.log.canonical import encode
from codemode.sandbox.values import FrozenDict, Json

#: Arguments and content above this many canonical bytes are logged as a preview.
MAX_FIELD_BYTES: Final = 64 << 10
HEAD_CHARACTERS: Final = 2_048
TAIL_CHARACTERS: Final = 1_024
KEY: Final = "$preview"


def preview(value: Json, *, locator: str | None = None) -> FrozenDict:
    """`{"$preview": {head, tail, bytes, sha256, locator?}}` of a value.

    Args:
        value: Lossless JSON.
        locator: Where the whole value is kept, if it is.

    Returns:
        `bytes` and `sha256` are those of the whole canonical form; head and tail are its text, or
        the text itself if the value is one.
    """
    body = encode(value)
    text = value if isinstance(value, str) else body.decode()
    fields: dict[str, Json] = {
        "head": text[:HEAD_CHARACTERS],
        "tail": text[max(HEAD_CHARACTERS, len(text) - TAIL_CHARACTERS) :],
        "bytes": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    if locator is not None:
        fields["locator"] = locator
    return FrozenDict({KEY: FrozenDict(fields)})


def is_preview(value: object) -> bool:
    """Whether a logged value is a preview of a larger one."""
    return isinstance(value, dict) and value.keys() == {KEY}


def shorten(data: FrozenDict, *, keep: str = "program") -> FrozenDict:
    """Put previews in place of an event's large fields; a program is kept whole, for replay."""
    locator = data.get("locator")
    return FrozenDict(
        {
            name: preview(value, locator=locator if name == "content" else None)
            if name != keep and len(encode(value)) > MAX_FIELD_BYTES
            else value
            for name, value in data.items()
        }
    )
