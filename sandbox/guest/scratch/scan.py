"""`os.scandir` and its entries, over a snapshot of one folder."""

from __future__ import annotations

import os
import stat as modes
from collections.abc import Iterator
from types import GenericAlias, TracebackType

from codemode.sandbox.guest.scratch import calls
from codemode.sandbox.guest.scratch.nodes import Link, Node
from codemode.sandbox.guest.scratch.paths import AnyPath
from codemode.sandbox.marks import override


class DirEntry:
    """One entry of a scanned folder, with the interface of `os.DirEntry`."""

    __slots__ = ("_node", "_target", "name", "path")

    def __class_getitem__(cls, item: object) -> GenericAlias:
        return GenericAlias(cls, item)

    def __init__(self, name: str | bytes, path: str | bytes, node: Node) -> None:
        self.name = name
        self.path = path
        self._node = node
        self._target: os.stat_result | None = None

    def inode(self) -> int:
        """The entry's inode number."""
        return self._node.ino

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """As os.stat of the entry; of a link's target, remembered after the first time."""
        if not follow_symlinks or not self.is_symlink():
            return self._node.status()
        if self._target is None:
            self._target = calls.stat(self.path)
        return self._target

    def is_symlink(self) -> bool:
        """Whether the entry itself is a link."""
        return isinstance(self._node, Link)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether the entry is a folder, or a link to one."""
        return self._is(modes.S_IFDIR, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether the entry is a regular file, or a link to one."""
        return self._is(modes.S_IFREG, follow_symlinks)

    def is_junction(self) -> bool:
        """There are no junctions here."""
        return False

    def _is(self, kind: int, follow: bool) -> bool:
        try:
            return modes.S_IFMT(self.stat(follow_symlinks=follow).st_mode) == kind
        except FileNotFoundError:
            return False

    def __fspath__(self) -> str | bytes:
        return self.path

    @override
    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"


class _Scan:
    """The iterator that `os.scandir` gives; also a context manager."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Iterator[DirEntry]) -> None:
        self._entries = entries

    def __iter__(self) -> _Scan:
        return self

    def __next__(self) -> DirEntry:
        return next(self._entries)

    def __enter__(self) -> _Scan:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give no more entries."""
        self._entries = iter(())


def scandir(path: AnyPath | int | None = None) -> _Scan:
    """As os.scandir; in the order in which the entries were made."""
    folder = calls.folder(path, "scandir")
    start = "" if isinstance(path, int) else os.fspath(path) if path is not None else "."
    entries: list[DirEntry] = []
    for name, node in folder.entries.items():
        if isinstance(start, bytes):
            octets = os.fsencode(name)
            entries.append(DirEntry(octets, os.path.join(start, octets), node))
        else:
            entries.append(DirEntry(name, os.path.join(start, name), node))
    return _Scan(iter(entries))
