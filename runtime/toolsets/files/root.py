"""One folder that file operations cannot leave, whatever links say and whoever races them.

A path is walked one name at a time, each opened relative to the descriptor of the one before and
never following a link; links inside the folder are read and walked the same way, and `..` goes back
to a descriptor that was opened on the way. So there is no moment at which a name is checked and
another is used. Hard links are not links in this sense: what the folder holds is in the folder.

Source: openat(2), "Rationale for openat()"; open(2), O_NOFOLLOW; path_resolution(7).
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO, Final

from codemode.runtime.errors import ToolError

#: As many as the kernel follows.
_MAX_LINKS: Final = 40
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: Without O_NONBLOCK, opening a pipe would wait for its other end.
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a path leads: an open folder and a name in it. Valid inside `Root.place` only.

    Attributes:
        path: Relative to the root, without links; "." is the root.
    """

    folder: int
    name: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A file as it was read.

    Attributes:
        path: Relative to the root, without links.
        mode: Its permission bits.
    """

    path: str
    data: bytes = field(repr=False)
    sha256: str
    mode: int


class MissingError(ToolError):
    """There is nothing under that name."""


def open_regular(name: str, folder: int) -> BinaryIO:
    """Open a regular file of an open folder for reading, following no link and waiting for nobody.

    Raises:
        OSError: It cannot be opened.
        ToolError: It is something else.
    """
    descriptor = os.open(name, _READ, dir_fd=folder)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise ToolError(f"{name} is a folder" if stat.S_ISDIR(mode) else f"{name} is no file")
    return open(descriptor, "rb")


class Root:
    """See the module. Its methods block.

    Args:
        path: An existing folder; links in this path itself are the host's.
        max_file_bytes: Larger files are neither read nor written.
    """

    def __init__(self, path: str | os.PathLike[str], *, max_file_bytes: int) -> None:
        self._path = Path(path).resolve(strict=True)
        self._max_file_bytes = max_file_bytes
        if not self._path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))

    @contextmanager
    def place(self, path: str, *, make_folders: bool = False) -> Generator[Place]:
        """Walk `path`; its last name may not exist.

        Args:
            make_folders: Make the folders on the way that are missing.

        Raises:
            ToolError: The path leaves the root, or a name on the way is no folder.
        """
        walk = _Walk(os.open(self._path, _DIRECTORY), path, make_folders=make_folders)
        try:
            with _told(path):
                name = walk.run()
                place = Place(
                    folder=walk.folders[-1], name=name, path="/".join([*walk.names, name])
                )
            yield place
        finally:
            walk.close()

    def read(self, path: str) -> FileState:
        """A regular file, whole.

        Raises:
            ToolError: It is missing, no regular file, too large, or outside.
        """
        with self.place(path) as place, _told(path):
            return self._read(place)

    def find(self, path: str) -> FileState | None:
        """The same, or None when there is no such file."""
        try:
            with self.place(path) as place, _told(path):
                return self._find(place)
        except MissingError:
            return None

    def replace(self, path: str, data: bytes, *, expected: str | None) -> FileState:
        """Write a file in one step: a reader sees the old content or the new.

        Args:
            expected: Digest of the content that is to be replaced; None means that there is none.

        Raises:
            ToolError: It is another content by now, or cannot be written.
        """
        if len(data) > self._max_file_bytes:
            raise ToolError(
                f"{path}: {len(data):,} bytes are too many; the most is {self._max_file_bytes:,}"
            )
        with self.place(path, make_folders=True) as place, _told(path):
            before = self._find(place)
            if (None if before is None else before.sha256) != expected:
                raise ToolError(f"{path} has changed meanwhile; read it again")
            self._write(place, data, None if before is None else before.mode)
            return self._read(place)

    def remove(self, path: str, *, expected: str) -> None:
        """Remove a file whose content has that digest.

        Raises:
            ToolError: It is another content by now, or cannot be removed.
        """
        with self.place(path) as place, _told(path):
            if self._read(place).sha256 != expected:
                raise ToolError(f"{path} has changed meanwhile")
            os.unlink(place.name, dir_fd=place.folder)

    def _find(self, place: Place) -> FileState | None:
        try:
            return self._read(place)
        except FileNotFoundError:
            return None

    def _read(self, place: Place) -> FileState:
        with open_regular(place.name, place.folder) as file:
            status = os.fstat(file.fileno())
            data = file.read(self._max_file_bytes + 1)
        if len(data) > self._max_file_bytes:
            raise ToolError(
                f"{place.path} is too large: {status.st_size:,} bytes,"
                f" the most is {self._max_file_bytes:,}"
            )
        return FileState(
            path=place.path,
            data=data,
            sha256=hashlib.sha256(data).hexdigest(),
            mode=stat.S_IMODE(status.st_mode),
        )

    @staticmethod
    def _write(place: Place, data: bytes, mode: int | None) -> None:
        part = f".{token_hex(8)}.part"
        descriptor = os.open(part, _CREATE, 0o666, dir_fd=place.folder)
        try:
            with open(descriptor, "wb") as file:
                if mode is not None:
                    os.fchmod(descriptor, mode)
                file.write(data)
            os.replace(part, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
        except BaseException:
            os.unlink(part, dir_fd=place.folder)
            raise


class _Walk:
    """One walk from the root to the last name of a path.

    Attributes:
        folders: The descriptors of the folders on the way, the root's first.
        names: Their names, without the root.
    """

    def __init__(self, root: int, path: str, *, make_folders: bool) -> None:
        self.folders = [root]
        self.names: list[str] = []
        self._path = path
        self._make_folders = make_folders
        self._links = 0

    def run(self) -> str:
        """Walk; gives the last name, "." when the path is that of a folder on the way."""
        if self._path.startswith("/"):
            raise ToolError(f"{self._path}: give a path relative to the root")
        todo = deque(_names(self._path))
        while todo:
            name = todo.popleft()
            if name == "..":
                self._back()
                continue
            target = self._link(name)
            if target is not None:
                todo.extendleft(reversed(target))
                continue
            if not todo:
                return name
            self._enter(name)
        return self._last()

    def close(self) -> None:
        """Close every descriptor."""
        for folder in self.folders:
            os.close(folder)
        self.folders.clear()

    def _last(self) -> str:
        """The path ended in `..` or is the root: its last folder is the place."""
        if not self.names:
            return "."
        os.close(self.folders.pop())
        return self.names.pop()

    def _back(self) -> None:
        if not self.names:
            raise ToolError(f"{self._path} leads out of the root")
        os.close(self.folders.pop())
        self.names.pop()

    def _link(self, name: str) -> list[str] | None:
        """The names that a link stands for; None when it is none."""
        try:
            target = os.readlink(name, dir_fd=self.folders[-1])
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.EINVAL:  # no link
                return None
            raise
        self._links += 1
        if self._links > _MAX_LINKS:
            raise ToolError(f"{self._path}: too many links")
        if target.startswith("/"):
            raise ToolError(f"{self._path} leads out of the root through the link {name}")
        return _names(target)

    def _enter(self, name: str) -> None:
        here = self.folders[-1]
        try:
            folder = os.open(name, _DIRECTORY, dir_fd=here)
        except FileNotFoundError:
            if not self._make_folders:
                raise
            os.mkdir(name, dir_fd=here)
            folder = os.open(name, _DIRECTORY, dir_fd=here)
        self.folders.append(folder)
        self.names.append(name)


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in ("", ".")]


@contextmanager
def _told(path: str) -> Generator[None]:
    """The system's errors in a tool's words; no path of the host's is named.

    Raises:
        ToolError: See above.
    """
    try:
        yield
    except FileNotFoundError:
        raise MissingError(f"{path} does not exist") from None
    except NotADirectoryError:
        raise ToolError(f"{path}: a name on the way is no folder") from None
    except IsADirectoryError:
        raise ToolError(f"{path} is a folder") from None
    except (OSError, ValueError) as error:
        # A ValueError is a NUL in the path.
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise ToolError(f"{path}: {said}") from None
