"""Content: what the model reads of a result, as text and image blocks.

Content is durable and bounded; it is never an input to a program. Images are kept by digest with
their media type, so that a log can hold the reference and a store the bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from codemode.sandbox.values import FrozenDict, FrozenList


@dataclass(frozen=True, slots=True)
class Text:
    """A block of text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image, by digest.

    Attributes:
        media_type: Such as `image/png`.
        size_bytes: Of the image itself, not of an encoding.
        data: The bytes, or None when only the reference is at hand (the log, a missing attachment).
    """

    media_type: str
    sha256: str
    size_bytes: int
    data: bytes | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, data: bytes, media_type: str) -> Image:
        """An image block that carries its own bytes."""
        digest = hashlib.sha256(data).hexdigest()
        return cls(media_type=media_type, sha256=digest, size_bytes=len(data), data=bytes(data))


Block: TypeAlias = Text | Image
Content: TypeAlias = tuple[Block, ...]


def text_content(text: str) -> Content:
    """One text block."""
    return (Text(text),)


def plain_text(content: Content) -> str:
    """The text of the blocks, joined by newlines; images are left out."""
    return "\n".join(block.text for block in content if isinstance(block, Text))


def as_content(rendered: object) -> Content:
    """What a render gave, as blocks: a string, a block, or a list of them.

    Raises:
        TypeError: It is none of these.
        ValueError: A text has lone surrogates, which nothing can encode.
    """
    if isinstance(rendered, (list, tuple)):
        return tuple(map(_block, cast("Iterable[object]", rendered)))
    return (_block(rendered),)


def _block(item: object) -> Block:
    if isinstance(item, Image):
        told: tuple[Any, ...] = (item.media_type, item.sha256)
        if not all(type(word) is str and word.isascii() for word in told):
            raise ValueError("an image's media type and digest are plain text")
        return item
    text = item.text if isinstance(item, Text) else item
    if type(text) is not str:
        kind = type(item).__name__
        raise TypeError(
            f"content must be text, Text or Image blocks, or a list of them, not {kind}"
        )
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("the content has lone surrogates; encode it or drop them") from None
    return item if isinstance(item, Text) else Text(text)


def content_as_json(content: Content) -> FrozenList:
    """The durable form for the log, frozen: text as it is, images by reference."""
    return FrozenList(map(_block_as_json, content))


def _block_as_json(block: Block) -> FrozenDict:
    if isinstance(block, Text):
        return FrozenDict({"type": "text", "text": block.text})
    return FrozenDict(
        {
            "type": "image",
            "media_type": block.media_type,
            "sha256": block.sha256,
            "bytes": block.size_bytes,
        }
    )
