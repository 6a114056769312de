"""Attachments: bytes kept once by their digest, with media type and size; the log has references.

An observer keeps the images of every result, nested ones too, before the result is logged. Whoever
shows a log resolves the references; what is not there any more is shown as missing.

Source: spec PIPELINE 12.3.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol

from codemode.runtime.content import Block, Image, Text
from codemode.runtime.execution import Execution
from codemode.runtime.policy import Observer
from codemode.runtime.result import Result
from codemode.sandbox.errors import CodeModeError
from codemode.sandbox.values import Json

_logger: Final = logging.getLogger("codemode.attachments")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")


class AttachmentError(CodeModeError):
    """An attachment could not be kept. Calls and results are not affected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """Kept bytes.

    Attributes:
        media_type: Such as `image/png`.
    """

    sha256: str
    media_type: str
    data: bytes = field(repr=False)

    @property
    def size_bytes(self) -> int:
        """How many bytes it has."""
        return len(self.data)


class AttachmentStore(Protocol):
    """Keeps bytes by digest. Its methods block; what they take is bounded by the caller."""

    def put(self, data: bytes, media_type: str) -> str:
        """Keep `data` and return its SHA-256; what is kept already is not written again.

        Raises:
            AttachmentError: It was not kept.
        """
        ...

    def get(self, sha256: str) -> Attachment | None:
        """What `put` kept; None when it is missing or is not what its digest says."""
        ...


class MemoryAttachmentStore:
    """Keeps attachments in memory, up to a bound."""

    def __init__(self, *, max_bytes: int = 256 << 20) -> None:
        self._kept: dict[str, Attachment] = {}
        self._left = max_bytes

    def put(self, data: bytes, media_type: str) -> str:
        """See `AttachmentStore`."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._kept:
            if len(data) > self._left:
                raise AttachmentError("the memory for attachments is used up")
            self._left -= len(data)
            self._kept[digest] = Attachment(sha256=digest, media_type=media_type, data=bytes(data))
        return digest

    def get(self, sha256: str) -> Attachment | None:
        """See `AttachmentStore`."""
        return self._kept.get(sha256)


class FileAttachmentStore:
    """Keeps each attachment in a file named by its digest, and beside it what it is.

    Args:
        folder: Made when the first attachment is kept, for its owner alone.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder).absolute()

    def put(self, data: bytes, media_type: str) -> str:
        """See `AttachmentStore`."""
        digest = hashlib.sha256(data).hexdigest()
        facts = json.dumps({"media_type": media_type, "bytes": len(data)})
        try:
            if not self._facts(digest).exists():
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                # The facts come last: an attachment with facts is whole.
                self._write(self._data(digest), bytes(data))
                self._write(self._facts(digest), facts.encode())
        except OSError as error:
            raise AttachmentError(
                f"an attachment could not be kept: {error.strerror or error}"
            ) from error
        return digest

    def get(self, sha256: str) -> Attachment | None:
        """See `AttachmentStore`."""
        if not _DIGEST.match(sha256):
            return None
        try:
            facts = json.loads(self._facts(sha256).read_bytes())
            data = self._data(sha256).read_bytes()
            media_type = str(facts["media_type"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if hashlib.sha256(data).hexdigest() != sha256:
            return None
        return Attachment(sha256=sha256, media_type=media_type, data=data)

    def _data(self, digest: str) -> Path:
        return self._folder / f"{digest}.bin"

    def _facts(self, digest: str) -> Path:
        return self._folder / f"{digest}.json"

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        part = path.with_suffix(f".{os.getpid()}.{id(data):x}.part")
        part.write_bytes(data)
        part.replace(path)


def keep_images(content: Iterable[Block], store: AttachmentStore) -> None:
    """Keep the bytes of the images; one that cannot be kept is missing later, and said so now."""
    for block in content:
        if isinstance(block, Image) and block.data is not None:
            try:
                store.put(block.data, block.media_type)
            except AttachmentError:
                _logger.exception("the image %s was not kept", block.sha256)


def keeper(store: AttachmentStore) -> Observer:
    """An observer that keeps the images of each result and of its contexts."""

    def keep_attachments(_: Execution, result: Result) -> None:
        keep_images(result.content, store)
        for context in result.contexts:
            keep_images(context.content, store)

    return keep_attachments


def resolve(content: Json, store: AttachmentStore) -> list[Block]:
    """The blocks of logged content, with the bytes where they are still to be had.

    A missing image keeps its reference and has `data=None`; `describe` says so in words.

    Args:
        content: The `content` of an event: a list of blocks, or text.
    """
    blocks: Any = content if isinstance(content, list) else [{"type": "text", "text": content}]
    found: list[Block] = []
    for block in blocks:
        if block.get("type") != "image":
            found.append(Text(str(block.get("text", ""))))
            continue
        image = Image(
            media_type=str(block["media_type"]),
            sha256=str(block["sha256"]),
            size_bytes=int(block["bytes"]),
        )
        kept = store.get(image.sha256)
        found.append(image if kept is None else replace(image, data=kept.data))
    return found


def describe(block: Block) -> str:
    """One block in words, for people who read a log as text."""
    if isinstance(block, Text):
        return block.text
    state = "" if block.data is not None else ", missing"
    return f"[{block.media_type}, {block.size_bytes:,} bytes, {block.sha256[:12]}{state}]"
