"""What the tree of scratch files is made of: files, folders, links, one device; and their budget.

Never allocates before the budget has agreed, so that a seek or a truncate far beyond the end costs
nothing. Source: inode(7), stat(2).
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Final

from codemode.sandbox.limits import passed
from codemode.sandbox.marks import override

#: The one user of a run, and its group.
UID: Final = 1000
GID: Final = 1000
BLOCK_BYTES: Final = 4096


def failure(
    code: int, path: str | int | None = None, to: str | None = None, *, reason: str | None = None
) -> OSError:
    """An `OSError` as the interpreter makes it: the subclass that fits `code`, the usual text."""
    text = reason or os.strerror(code)
    if to is not None:
        return OSError(code, text, path, None, to)
    return OSError(code, text) if path is None else OSError(code, text, path)


class Budget:
    """What a run may keep in its scratch tree, and what it keeps now.

    Attributes:
        refused: The limits that were passed so far, by the message that said so.
    """

    __slots__ = ("files", "max_bytes", "max_files", "refused", "used_bytes")

    def __init__(self, *, max_bytes: int, max_files: int) -> None:
        self.max_bytes = max_bytes
        self.max_files = max_files
        self.used_bytes = 0
        self.files = 0
        self.refused: dict[str, str] = {}

    def check_bytes(self, more: int) -> None:
        """Refuse to grow by `more` bytes when that passes the limit (OSError ENOSPC)."""
        if self.used_bytes + more > self.max_bytes:
            raise self._refusal("scratch_bytes", self.max_bytes)

    def add_file(self) -> None:
        """Count one more file, folder or link; OSError ENOSPC when that passes the limit."""
        if self.files >= self.max_files:
            raise self._refusal("scratch_files", self.max_files)
        self.files += 1

    def _refusal(self, limit: str, allowed: int) -> OSError:
        message = passed(limit, allowed)
        self.refused[message] = limit
        return failure(errno.ENOSPC, reason=message)


class Node:
    """One inode. Times are nanoseconds since the epoch."""

    __slots__ = ("accessed", "changed", "ino", "links", "mode", "modified")
    format = 0

    def __init__(self, *, ino: int, mode: int, now: int) -> None:
        self.ino = ino
        self.mode = mode
        self.links = 1
        self.accessed = self.modified = self.changed = now

    @property
    def size(self) -> int:
        """What stat(2) gives as the size."""
        return BLOCK_BYTES

    def allows(self, bits: int) -> bool:
        """Whether the owner, who is everybody here, has all of the rwx `bits`."""
        return (self.mode >> 6) & bits == bits

    def status(self) -> os.stat_result:
        """What stat(2) says of this node."""
        times = (self.accessed, self.modified, self.changed)
        seconds = [time // 10**9 for time in times]
        exact = [time / 10**9 for time in times]
        identity = (self.format | self.mode, self.ino, 1, self.links, UID, GID, self.size)
        blocks = (BLOCK_BYTES, -(-self.size // 512), 0)
        return os.stat_result((*identity, *seconds, *exact, *times, *blocks))


class File(Node):
    """A regular file. `opens` counts open descriptions, which keep a deleted file alive."""

    __slots__ = ("data", "opens")
    format = stat.S_IFREG

    def __init__(self, *, ino: int, mode: int, now: int) -> None:
        super().__init__(ino=ino, mode=mode, now=now)
        self.data = bytearray()
        self.opens = 0

    @property
    @override
    def size(self) -> int:
        """The length of the content in bytes."""
        return len(self.data)

    def resize(self, size: int, budget: Budget) -> None:
        """Cut, or fill up with zeros, after the budget agreed."""
        more = size - len(self.data)
        if more > 0:
            budget.check_bytes(more)
            self.data.extend(bytes(more))
        else:
            del self.data[size:]
        budget.used_bytes += more

    def put(self, position: int, content: memoryview, budget: Budget) -> None:
        """Write `content` at `position`; a gap before it reads as zeros."""
        end = position + len(content)
        more = max(0, end - len(self.data))
        budget.check_bytes(more)
        if position > len(self.data):
            self.data.extend(bytes(position - len(self.data)))
        self.data[position:end] = content
        budget.used_bytes += more


class Folder(Node):
    """A directory. Entries keep the order in which they were made."""

    __slots__ = ("entries", "name", "parent")
    format = stat.S_IFDIR

    def __init__(self, *, ino: int, mode: int, now: int, parent: Folder | None, name: str) -> None:
        super().__init__(ino=ino, mode=mode, now=now)
        self.entries: dict[str, Node] = {}
        self.parent = parent or self
        self.name = name
        self.links = 2

    def path(self) -> str | None:
        """The absolute path, or None when the folder is no longer in the tree."""
        parts: list[str] = []
        folder = self
        while folder.parent is not folder:
            if folder.parent.entries.get(folder.name) is not folder:
                return None
            parts.append(folder.name)
            folder = folder.parent
        return "/" + "/".join(reversed(parts))

    def is_inside(self, other: Folder) -> bool:
        """Whether this is `other` or lies below it."""
        folder = self
        while folder is not other:
            if folder.parent is folder:
                return False
            folder = folder.parent
        return True


class Link(Node):
    """A symbolic link."""

    __slots__ = ("target",)
    format = stat.S_IFLNK

    def __init__(self, *, ino: int, now: int, target: str) -> None:
        super().__init__(ino=ino, mode=0o777, now=now)
        self.target = target

    @property
    @override
    def size(self) -> int:
        """The length of the target in bytes."""
        return len(os.fsencode(self.target))


class Null(Node):
    """/dev/null: reads as empty, forgets what is written."""

    __slots__ = ()
    format = stat.S_IFCHR

    @property
    @override
    def size(self) -> int:
        """Always 0."""
        return 0
