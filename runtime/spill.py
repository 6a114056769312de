"""Bounded content: a head-and-tail preview and a locator to the whole, for every tool alike.

Only what the model reads is bounded; a program's value never is. A store that fails costs the rest
of the text, and the preview says so.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Final, Protocol

import anyio.to_thread

from codemode.runtime.content import Content, Image, Text, plain_text
from codemode.sandbox.errors import CodeModeError

#: What a model reads of one result, by default.
CONTENT_BYTES: Final = 64 << 10
#: Share of the budget that the head gets.
_HEAD: Final = 2 / 3


_SCHEME: Final = "spill:"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class SpillError(CodeModeError):
    """A spill store could not keep or find a text. The call itself is not affected."""


class SpillStore(Protocol):
    """Keeps whole texts; two implementations pass one contract suite."""

    async def put(self, call_id: str, data: bytes) -> str:
        """Keep `data` and return its locator, which a host can open.

        Raises:
            SpillError: It was not kept.
        """
        ...

    async def get(self, locator: str) -> bytes:
        """What `put` kept.

        Raises:
            SpillError: There is nothing at `locator`.
        """
        ...


class MemorySpillStore:
    """Keeps texts in memory, up to a bound."""

    def __init__(self, *, max_bytes: int = 256 << 20) -> None:
        self._kept: dict[str, bytes] = {}
        self._left = max_bytes

    async def put(self, call_id: str, data: bytes) -> str:
        """See `SpillStore`."""
        del call_id
        locator = f"memory:{hashlib.sha256(data).hexdigest()}"
        if locator not in self._kept:
            if len(data) > self._left:
                raise SpillError("the memory of the spill store is used up")
            self._kept[locator] = bytes(data)
            self._left -= len(data)
        return locator

    async def get(self, locator: str) -> bytes:
        """See `SpillStore`."""
        try:
            return self._kept[locator]
        except KeyError:
            raise SpillError(f"nothing is kept at {locator}") from None


class FileSpillStore:
    """Keeps each text in a file named by its digest; the locator tells no path of the host.

    Args:
        folder: Made when the first text is kept, for its owner alone.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder).absolute()

    async def put(self, call_id: str, data: bytes) -> str:
        """See `SpillStore`."""
        del call_id
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        try:
            await anyio.to_thread.run_sync(self._write, path, data)
        except OSError as error:
            raise SpillError(f"the text could not be kept: {error.strerror or error}") from error
        return f"{_SCHEME}{digest}"

    async def get(self, locator: str) -> bytes:
        """See `SpillStore`."""
        digest = locator.removeprefix(_SCHEME)
        if digest == locator or not _DIGEST.fullmatch(digest):
            raise SpillError(f"{locator} is no locator of a spill store")
        try:
            return await anyio.to_thread.run_sync(self._path(digest).read_bytes)
        except OSError as error:
            raise SpillError(f"nothing is kept at {locator}") from error

    def _path(self, digest: str) -> Path:
        return self._folder / f"{digest}.txt"

    def _write(self, path: Path, data: bytes) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.{id(data):x}.part")
        part.write_bytes(data)
        part.replace(path)


def exceeds(content: Content, max_bytes: int) -> bool:
    """Whether the text of `content` is over the budget."""
    characters = sum(len(block.text) for block in content if isinstance(block, Text))
    if characters * 4 <= max_bytes:
        return False
    return len(plain_text(content).encode()) > max_bytes


def preview(content: Content, max_bytes: int, where: str) -> Content:
    """The head and the tail of the text within `max_bytes`, images kept.

    Args:
        where: Says where the whole is, or that it is lost.
    """
    data = plain_text(content).encode()
    kept = max(0, max_bytes - 200 - len(where.encode()))
    head = int(kept * _HEAD)
    tail = kept - head
    first = data[:head].decode(errors="ignore")
    last = data[len(data) - tail :].decode(errors="ignore") if tail else ""
    left_out = len(data) - len(first.encode()) - len(last.encode())
    text = f"{first}\n... [{left_out} of {len(data)} bytes left out; {where}] ...\n{last}"
    return (Text(text), *(block for block in content if isinstance(block, Image)))
