"""What the log keeps of a value that is too large for it: head, tail, size and digest."""

from __future__ import annotations

import hashlib
from typing import Final

from codemode.runtime.log.canonical import encode
from codemode.runtime.log.quick import quick_of
from codemode.runtime.log.vocabulary import TYPES
from codemode.sandbox.values import FrozenDict, Json

#: Arguments and content above this many canonical bytes are logged as a preview.
MAX_FIELD_BYTES: Final = 64 << 10
HEAD_CHARACTERS: Final = 2_048
TAIL_CHARACTERS: Final = 1_024
#: Texts of a large group of fields, such as a decision's reason, above this many lose their middle.
MAX_TEXT_CHARACTERS: Final = 4_096
KEY: Final = "$preview"

#: Never shortened: what was run is the record.
_WHOLE: Final = "program"


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


def shorten(kind: str, data: FrozenDict) -> FrozenDict:
    """An event's fields with the large ones shortened, so that it still fits its schema.

    A field that may hold any JSON becomes a preview; a reason, wherever it stands, keeps its ends.
    Ids and names are kept whole, since they link events, and so is a program, for replay.
    """
    model = TYPES.get(kind)
    free = data.keys() if model is None else quick_of(model).free
    texts = frozenset[str]() if model is None else frozenset(model.sensitive)
    locator = data.get("locator")

    def short(name: str, value: Json) -> Json:
        if name == _WHOLE or len(encode(value)) <= MAX_FIELD_BYTES:
            return value
        if name in free:
            return preview(value, locator=locator if name == "content" else None)
        if isinstance(value, str):
            return _ends(value) if name in texts else value
        return _shorten_texts(value)

    return FrozenDict({name: short(name, value) for name, value in data.items()})


def _shorten_texts(value: Json) -> Json:
    """A group of fields whose long texts keep their ends; the vocabulary keeps it flat."""
    if isinstance(value, str):
        return _ends(value)
    if isinstance(value, dict):
        return FrozenDict({name: _shorten_texts(item) for name, item in value.items()})
    return value


def _ends(text: str) -> str:
    """Head and tail of a text that is too long, with its size and digest between them."""
    if len(text) <= MAX_TEXT_CHARACTERS:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()
    mark = f"… [{len(text)} characters, SHA-256 {digest}] …"
    return text[:HEAD_CHARACTERS] + mark + text[-TAIL_CHARACTERS:]
