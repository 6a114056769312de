"""File objects: a raw stream over a scratch descriptor, and `open`, which builds upon it.

Buffering, text, encodings and newlines are the standard library's own classes. Never opens a real
file: a descriptor that is not the tree's is EBADF. Source: the documentation of io.open, io.FileIO.
"""

from __future__ import annotations

import errno
import io
import os
import warnings
from collections.abc import Callable
from operator import index
from typing import IO, TYPE_CHECKING, Any, Final, cast

from codemode.sandbox.guest.scratch import mount
from codemode.sandbox.guest.scratch.nodes import Folder, failure
from codemode.sandbox.guest.scratch.paths import AnyPath, text
from codemode.sandbox.marks import override

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

Opener = Callable[[Any, int], int]

BUFFER_BYTES: Final = io.DEFAULT_BUFFER_SIZE
_FLAGS: Final = {
    "r": 0,
    "w": os.O_CREAT | os.O_TRUNC,
    "x": os.O_CREAT | os.O_EXCL,
    "a": os.O_CREAT | os.O_APPEND,
}


class FileIO(io.RawIOBase):
    """The raw stream, with the interface of `io.FileIO`.

    Attributes:
        name: What was opened, as it was given: a path or a descriptor.
        closefd: Whether closing the stream closes the descriptor.
    """

    __slots__ = ("_files", "_kind", "_number", "_readable", "_writable", "closefd", "name")

    def __init__(
        self,
        file: AnyPath | int,
        mode: str = "r",
        closefd: bool = True,
        opener: Opener | None = None,
    ) -> None:
        if type(self) is not FileIO:
            raise TypeError("FileIO.__init__() needs a FileIO")
        self._number = -1
        kinds = [letter for letter in mode if letter in "rwxa"]
        if not set(mode) <= set("rwxab+"):
            raise ValueError(f"invalid mode: {mode}")
        if len(kinds) != 1 or mode.count("+") > 1:
            raise ValueError(
                "Must have exactly one of create/read/write/append mode and at most one plus"
            )
        self._kind = kinds[0]
        self._readable = self._kind == "r" or "+" in mode
        self._writable = self._kind != "r" or "+" in mode
        self._files = mount.files()
        self.closefd = closefd
        self.name = file
        self._number = self._open(file, opener)
        try:
            if isinstance(self._files.get(self._number).node, Folder):
                raise failure(errno.EISDIR, file if isinstance(file, int) else text(file))
            if self._kind == "a":
                self._files.seek(self._number, 0, os.SEEK_END)
        except OSError:
            self.closefd = closefd and not isinstance(file, int)
            self.close()
            raise

    def _open(self, file: AnyPath | int, opener: Opener | None) -> int:
        if isinstance(file, int):
            if file < 0:
                raise ValueError("negative file descriptor")
            return file
        if not self.closefd:
            raise ValueError("Cannot use closefd=False with file name")
        access = os.O_RDWR if self._readable and self._writable else int(self._writable)
        flags = _FLAGS[self._kind] | access | os.O_CLOEXEC
        if opener is None:
            return self._files.open(text(file), flags, 0o666)
        number = opener(file, flags)
        if not isinstance(number, int):  # pyright: ignore[reportUnnecessaryIsInstance] - the program's
            raise TypeError("expected integer from opener")
        if number < 0:
            raise ValueError(f"opener returned {number}")
        return number

    @property
    def mode(self) -> str:
        """The mode as the interpreter spells it."""
        if self._kind in "xa":
            return self._kind + ("b+" if self._readable else "b")
        if self._readable:
            return "rb+" if self._writable else "rb"
        return "wb"

    def _check(self, *, reads: bool = False, writes: bool = False) -> int:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if reads and not self._readable:
            raise io.UnsupportedOperation("File not open for reading")
        if writes and not self._writable:
            raise io.UnsupportedOperation("File not open for writing")
        return self._number

    @override
    def readable(self) -> bool:
        """Whether the mode allows reading."""
        self._check()
        return self._readable

    @override
    def writable(self) -> bool:
        """Whether the mode allows writing."""
        self._check()
        return self._writable

    @override
    def seekable(self) -> bool:
        """Every scratch file can be sought in."""
        self._check()
        return True

    @override
    def fileno(self) -> int:
        """The descriptor, which only the functions of this sandbox know."""
        return self._check()

    @override
    def isatty(self) -> bool:
        """A scratch file is no terminal."""
        self._check()
        return False

    @override
    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill `buffer` from the position on; how many bytes were there."""
        with memoryview(buffer) as view, view.cast("B") as octets:
            return self._files.read_into(self._check(reads=True), octets)

    @override
    def readall(self) -> bytes:
        """Everything from the position to the end."""
        number = self._check(reads=True)
        return self._files.read(number, self._files.get(number).node.size)

    @override
    def write(self, content: ReadableBuffer, /) -> int:
        """Write all of `content`; its length."""
        with memoryview(content) as view, view.cast("B") as octets:
            return self._files.write(self._check(writes=True), octets)

    @override
    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Move the position; the new one from the start."""
        return self._files.seek(self._check(), index(offset), whence)

    @override
    def tell(self) -> int:
        """The position from the start."""
        return self._files.seek(self._check(), 0, os.SEEK_CUR)

    @override
    def truncate(self, size: int | None = None, /) -> int:
        """Cut or fill up to `size`, by default the position; the position stays."""
        number = self._check(writes=True)
        size = self.tell() if size is None else index(size)
        self._files.truncate(number, size)
        return size

    @override
    def close(self) -> None:
        """Close the stream, and the descriptor if it is this stream's own."""
        if self.closed:
            return
        try:
            super().close()
        finally:
            if self._number >= 0 and self.closefd:
                self._files.close(self._number)

    @override
    def __getstate__(self) -> object:
        raise TypeError("cannot pickle 'FileIO' object")

    @override
    def __repr__(self) -> str:
        if self.closed:
            return "<_io.FileIO [closed]>"
        return f"<_io.FileIO name={self.name!r} mode={self.mode!r} closefd={self.closefd}>"


def open(
    file: AnyPath | int,
    mode: str = "r",
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    closefd: bool = True,
    opener: Opener | None = None,
) -> IO[Any]:
    """Open a file of the run's scratch tree, as the builtin `open` does; text is UTF-8 by default.

    Raises:
        OSError: As open(2); ENOSPC names the limit that was passed.
        ValueError: The mode and the other arguments do not fit together.
    """
    if not isinstance(file, int):
        file = os.fspath(file)
    _check_arguments(mode, buffering, encoding, errors, newline)
    is_binary = "b" in mode
    if buffering == 1 and is_binary:
        warnings.warn(
            "line buffering (buffering=1) isn't supported in binary mode,"
            " the default buffer size will be used",
            RuntimeWarning,
            stacklevel=2,
        )
    raw = FileIO(file, mode.replace("b", "").replace("t", ""), closefd, opener)
    stream: Any = raw
    try:
        if buffering == 0 and not is_binary:
            raise ValueError("can't have unbuffered text I/O")
        if buffering:
            stream = _buffered(raw, mode, buffering if buffering > 1 else BUFFER_BYTES)
        if not is_binary:
            name = "UTF-8" if encoding in (None, "locale") else encoding
            stream = io.TextIOWrapper(stream, name, errors, newline, buffering == 1)
            stream.mode = mode
    except BaseException:
        stream.close()
        raise
    mount.files().streams[raw.fileno()] = stream
    return cast(IO[Any], stream)


def open_code(path: str) -> IO[bytes]:
    """Open a scratch file for reading bytes, as `io.open_code` does."""
    return open(path, "rb")


def _check_arguments(
    mode: str, buffering: int, encoding: str | None, errors: str | None, newline: str | None
) -> None:
    """Refuse what the builtin refuses, in its words."""
    if not isinstance(mode, str):  # pyright: ignore[reportUnnecessaryIsInstance] - untyped callers
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    if not set(mode) <= set("rwxabt+") or len(set(mode)) != len(mode):
        raise ValueError(f"invalid mode: {mode!r}")
    if "b" in mode and "t" in mode:
        raise ValueError("can't have text and binary mode at once")
    if len(set(mode) & set("rwxa")) > 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    if buffering < -1:
        raise ValueError("invalid buffering size")
    if "b" not in mode:
        return
    for name, value in (("an encoding", encoding), ("an errors", errors), ("a newline", newline)):
        if value is not None:
            raise ValueError(f"binary mode doesn't take {name} argument")


def _buffered(raw: FileIO, mode: str, size: int) -> io.BufferedIOBase:
    if "+" in mode:
        return io.BufferedRandom(raw, size)
    return io.BufferedReader(raw, size) if "r" in mode else io.BufferedWriter(raw, size)
