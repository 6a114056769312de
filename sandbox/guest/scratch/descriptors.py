"""Open files: the numbers that stand for them, and reading and writing through them.

The numbers start far above any real descriptor, so that neither can be taken for the other. Source:
open(2), read(2), lseek(2).
"""

from __future__ import annotations

import errno
import os
from typing import IO, Any, Final
from weakref import WeakValueDictionary

from codemode.sandbox.guest.scratch.nodes import File, Folder, Node, Null, failure
from codemode.sandbox.guest.scratch.tree import READ, WRITE, Tree

FIRST: Final = 1000
MAX_OPEN: Final = 1024
_MAX_OFFSET: Final = 2**63 - 1


class OpenFile:
    """One open file description: several numbers (dup) may share it and its position."""

    __slots__ = ("appends", "node", "numbers", "position", "reads", "writes")

    def __init__(self, node: Node, flags: int) -> None:
        access = flags & os.O_ACCMODE
        self.node = node
        self.reads = access != os.O_WRONLY
        self.writes = access != os.O_RDONLY
        self.appends = bool(flags & os.O_APPEND)
        self.position = 0
        self.numbers = 1


class Descriptors:
    """The open files of one run.

    Attributes:
        streams: The file objects that `open` made and that still live, by their descriptor.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._open: dict[int, OpenFile] = {}
        self._next = FIRST
        self.streams: WeakValueDictionary[int, IO[Any]] = WeakValueDictionary()

    def open(self, path: str, flags: int, mode: int = 0o777) -> int:
        """A number for the file at `path`; `flags` as for the system call."""
        if len(self._open) >= MAX_OPEN:
            raise failure(errno.EMFILE, path)
        node = self._opened(path, flags, mode)
        file = OpenFile(node, flags)
        if isinstance(node, File):
            node.opens += 1
            if flags & os.O_TRUNC and file.writes:
                node.resize(0, self.tree.budget)
                node.modified = node.changed = self.tree.now()
        return self._number(file)

    def _opened(self, path: str, flags: int, mode: int) -> Node:
        creates = flags & os.O_CREAT
        is_exclusive = creates and flags & os.O_EXCL
        if creates and path.endswith("/"):
            self.tree.entry(path)
            raise failure(errno.EISDIR, path)
        place = self.tree.locate(path, follow=not (is_exclusive or flags & os.O_NOFOLLOW))
        node = place.node
        if node is None:
            if not creates:
                raise failure(errno.ENOENT, path)
            return self.tree.add_file(place, path, mode)
        if is_exclusive:
            raise failure(errno.EEXIST, path)
        writes = flags & os.O_ACCMODE != os.O_RDONLY
        if isinstance(node, Folder):
            if writes or creates:
                raise failure(errno.EISDIR, path)
        elif flags & os.O_DIRECTORY:
            raise failure(errno.ENOTDIR, path)
        elif not isinstance(node, File | Null):
            raise failure(errno.ELOOP, path)
        wanted = (READ if flags & os.O_ACCMODE != os.O_WRONLY else 0) | (WRITE if writes else 0)
        if not node.allows(wanted):
            raise failure(errno.EACCES, path)
        return node

    def _number(self, file: OpenFile) -> int:
        number = self._next
        self._next += 1
        self._open[number] = file
        return number

    def get(self, number: int) -> OpenFile:
        """The open file behind `number`; OSError EBADF when there is none."""
        file = self._open.get(number)
        if file is None:
            raise failure(errno.EBADF)
        return file

    def opened(self) -> list[OpenFile]:
        """Everything that is open now, once for each number."""
        return list(self._open.values())

    def duplicate(self, number: int) -> int:
        """dup(2)."""
        file = self.get(number)
        if len(self._open) >= MAX_OPEN:
            raise failure(errno.EMFILE)
        file.numbers += 1
        return self._number(file)

    def close(self, number: int) -> None:
        """Give a number back; a deleted file goes with its last one."""
        file = self.get(number)
        del self._open[number]
        file.numbers -= 1
        if file.numbers == 0 and isinstance(file.node, File):
            file.node.opens -= 1
            self.tree.release(file.node)

    def close_range(self, low: int, high: int) -> None:
        """Close every number from `low` up to `high`, which is not closed itself."""
        for number in [number for number in self._open if low <= number < high]:
            self.close(number)

    def read(self, number: int, size: int, *, position: int | None = None) -> bytes:
        """Up to `size` bytes from the position, or from `position` without moving (pread)."""
        file = self.get(number)
        if not file.reads:
            raise failure(errno.EBADF)
        if isinstance(file.node, Folder):
            raise failure(errno.EISDIR)
        if not isinstance(file.node, File):
            return b""
        start = file.position if position is None else position
        content = bytes(memoryview(file.node.data)[start : start + size])
        if position is None:
            file.position += len(content)
        return content

    def read_into(self, number: int, buffer: memoryview) -> int:
        """Fill `buffer` from the position on; how many bytes were there."""
        content = self.read(number, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def write(self, number: int, content: memoryview, *, position: int | None = None) -> int:
        """Write all of `content` at the position, the end (append), or `position` (pwrite)."""
        file = self.get(number)
        if not file.writes:
            raise failure(errno.EBADF)
        node = file.node
        if not isinstance(node, File):
            return len(content)
        start = file.position if position is None else position
        if file.appends:
            start = node.size
        if start + len(content) > _MAX_OFFSET:
            raise failure(errno.EFBIG)
        if content:
            node.put(start, content, self.tree.budget)
            node.modified = node.changed = self.tree.now()
        if position is None:
            file.position = start + len(content)
        return len(content)

    def seek(self, number: int, offset: int, whence: int) -> int:
        """lseek(2) with SEEK_SET, SEEK_CUR and SEEK_END."""
        file = self.get(number)
        if not -_MAX_OFFSET - 1 <= offset <= _MAX_OFFSET:
            raise OverflowError("Python int too large to convert to C long")
        if isinstance(file.node, Null):
            return 0
        size = file.node.size if isinstance(file.node, File) else 0
        starts = {os.SEEK_SET: 0, os.SEEK_CUR: file.position, os.SEEK_END: size}
        if whence not in starts or not 0 <= starts[whence] + offset <= _MAX_OFFSET:
            raise failure(errno.EINVAL)
        file.position = starts[whence] + offset
        return file.position

    def truncate(self, number: int, size: int) -> None:
        """ftruncate(2): cut, or fill up with zeros."""
        file = self.get(number)
        if not file.writes or not isinstance(file.node, File):
            raise failure(errno.EINVAL)
        self.resize(file.node, size)

    def resize(self, file: File, size: int) -> None:
        """Cut or fill up `file`, and say so in its times."""
        if size < 0:
            raise failure(errno.EINVAL)
        file.resize(size, self.tree.budget)
        file.modified = file.changed = self.tree.now()

    def flush(self) -> None:
        """Write out what the program's file objects still hold, as the end of a program does."""
        for stream in list(self.streams.values()):
            if not stream.closed and stream.writable():
                stream.flush()
