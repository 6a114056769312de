"""The session log as JSON Lines: for interchange, and readable by anything.

The first line names the format; each further line is one event in canonical form with its hash.
Lines are only ever appended. A line that a crash cut off was never acknowledged: the next append
ends it with a newline, readers skip it, and `damage` names it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from codemode.runtime.log.canonical import decode, encode
from codemode.runtime.log.errors import (
    LogError,
    LogFormatError,
    LogFullError,
    LogNotFoundError,
    LogReadOnlyError,
    LogVersionError,
    SessionBusyError,
)
from codemode.runtime.log.events import Record
from codemode.runtime.log.store import Durability
from codemode.runtime.log.stores.leases import FileLease

VERSION: Final = 1
_HEADER_KEY: Final = "codemode_log"
_HEADER: Final = b'{"codemode_log":%d}\n' % VERSION

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
#: Where the hash stands in a line: keys are sorted, and no text can hold an unescaped quote.
_HASH_AT: Final = b',"prev":"'
_SPLICE: Final = re.compile(rb',"hash":"[0-9a-f]{64}",("prev":"[^"]*","seq":)')
_INDEX_EVERY: Final = 256


@dataclass(slots=True)
class _Session:
    """What is known of a session without reading it again."""

    last: Record
    count: int = 0
    marks: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


class JsonLinesStore:
    """An `EventStore` in one text file.

    Raises:
        LogFormatError: The file is something else.
        LogVersionError: A newer codemode wrote it.
        LogReadOnlyError: It cannot be written and `read_only` is not set.
    """

    def __init__(
        self, path: Path, *, durability: Durability = "process", read_only: bool = False
    ) -> None:
        self._path = path
        self._read_only = read_only
        self._synced = durability == "power"
        self._lock = threading.Lock()
        self._sessions: dict[str, _Session] = {}
        self._damage: list[str] = []
        self._end = 0
        flags = os.O_RDONLY if read_only else os.O_RDWR | os.O_APPEND | os.O_CREAT
        try:
            self._fd = os.open(path, flags | os.O_CLOEXEC, 0o600)
        except OSError as error:
            kind = LogNotFoundError if error.errno == errno.ENOENT else LogReadOnlyError
            raise kind(f"{path} cannot be opened: {error.strerror}") from error
        try:
            if not read_only:
                self._begin()
            self._check_header()
        except BaseException:
            self.close()
            raise

    @property
    def location(self) -> str:
        """The path."""
        return str(self._path)

    def append(self, records: Sequence[Record]) -> None:
        """Write all of `records`, or take back what was written of them."""
        if self._read_only:
            raise LogReadOnlyError(f"{self._path} was opened for reading")
        with self._lock:
            fcntl.flock(self._fd, fcntl.LOCK_EX)
            try:
                self._catch_up()
                self._refuse_known(records)
                lines = [_line(record) for record in records]
                if self._end == os.fstat(self._fd).st_size:
                    self._write(b"".join(lines))
                    for record, line in zip(records, lines, strict=True):
                        self._index(record, len(line))
                else:
                    self._write(b"\n" + b"".join(lines))
                    self._catch_up()
            finally:
                fcntl.flock(self._fd, fcntl.LOCK_UN)

    def read(self, session: str, *, after: int = 0) -> Iterator[Record]:
        """The session's records in order, streamed from the file."""
        with self._lock:
            self._catch_up()
            known = self._sessions.get(session)
            if known is None:
                return
            end = self._end
            start = max((at for seq, at in known.marks if seq <= after + 1), default=0)
        for _, line in self._lines(start, end):
            record = _record(line)
            if record is not None and record.session == session and record.seq > after:
                yield record

    def last(self, session: str) -> Record | None:
        """The session's last record."""
        with self._lock:
            self._catch_up()
            known = self._sessions.get(session)
            return known.last if known else None

    def sessions(self) -> tuple[str, ...]:
        """Ids of all sessions, in the order of their first line."""
        with self._lock:
            self._catch_up()
            return tuple(self._sessions)

    def damage(self) -> tuple[str, ...]:
        """Lines that are not events."""
        with self._lock:
            self._catch_up()
            tail = os.fstat(self._fd).st_size - self._end
            torn = (f"byte {self._end}: a line of {tail} bytes without its end",) if tail else ()
            return (*self._damage, *torn)

    def acquire(self, session: str) -> FileLease:
        """Take the exclusive right to write a session."""
        return FileLease(self._path, session)

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _begin(self) -> None:
        """Write the first line of a new file, or what a crash left out of it."""
        fcntl.flock(self._fd, fcntl.LOCK_EX)
        try:
            start = os.pread(self._fd, len(_HEADER), 0)
            if start != _HEADER and _HEADER.startswith(start):
                self._write(_HEADER[len(start) :])
        finally:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _check_header(self) -> None:
        line = next((line for _, line in self._lines(0, 1 << 62)), None)
        if line is None and _HEADER.startswith(os.pread(self._fd, len(_HEADER), 0)):
            return  # opened for reading before its writer had begun
        header: Any = None
        with suppress(ValueError):
            header = decode(line or b"")
        if not isinstance(header, dict) or _HEADER_KEY not in header:
            raise LogFormatError(f"{self._path} is not a session log: its first line is another's")
        version = cast("dict[str, Any]", header)[_HEADER_KEY]
        if not isinstance(version, int) or version > VERSION:
            raise LogVersionError(
                f"{self._path} has log version {version}, this codemode reads up to {VERSION};"
                " upgrade to read it"
            )
        self._end = len(line or b"") + 1

    def _refuse_known(self, records: Sequence[Record]) -> None:
        for record in records:
            known = self._sessions.get(record.session)
            if known is not None and record.seq <= known.last.seq:
                raise SessionBusyError(
                    f"{self._path}: event {record.seq} of {record.session!r} is there already"
                )

    def _write(self, text: bytes) -> None:
        """Append `text` whole, or leave the file as it was."""
        before = os.fstat(self._fd).st_size
        rest = memoryview(text)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            if self._synced:
                os.fdatasync(self._fd)
        except OSError as error:
            # None of these bytes was acknowledged, and the lock keeps others' from following.
            with suppress(OSError):
                os.ftruncate(self._fd, before)
            if error.errno in _FULL:
                raise LogFullError(
                    f"{self._path}: the disk is full; free some space and go on"
                ) from error
            raise LogError(f"{self._path}: {error.strerror}") from error

    def _catch_up(self) -> None:
        """Index the whole lines that were added since, by us or by another process."""
        if self._fd < 0:
            raise LogError(f"{self._path} was closed")
        if self._end == 0:
            self._check_header()
        for at, line in self._lines(self._end, 1 << 62):
            record = _record(line)
            if record is None:
                self._damage.append(f"byte {at}: a line of {len(line)} bytes is not an event")
                self._end = at + len(line) + 1
                continue
            self._index(record, len(line) + 1)

    def _index(self, record: Record, size: int) -> None:
        """Take in the record whose line, of so many bytes, begins where the known ones end."""
        known = self._sessions.get(record.session)
        if known is None:
            known = self._sessions[record.session] = _Session(record)
        if known.count % _INDEX_EVERY == 0:
            known.marks.append((record.seq, self._end))
        known.count += 1
        known.last = record
        self._end += size

    def _lines(self, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Whole lines between two offsets, without their newline, and where they begin."""
        if start >= os.fstat(self._fd).st_size:
            return
        with open(os.open(self._path, os.O_RDONLY | os.O_CLOEXEC), "rb") as file:
            file.seek(start)
            while start < end and (line := file.readline()).endswith(b"\n"):
                yield start, line[:-1]
                start += len(line)


def _line(record: Record) -> bytes:
    head, _, tail = record.body.rpartition(_HASH_AT)
    return b'%b,"hash":"%b"%b%b\n' % (head, record.hash.encode(), _HASH_AT, tail)


def _record(line: bytes) -> Record | None:
    """The record of a line, its bytes as they were appended; None if it is not one."""
    try:
        fields = cast("dict[str, Any]", decode(line))
        hash = fields.pop("hash")
        splices = list(_SPLICE.finditer(line))
        if splices:
            at = splices[-1]
            body = line[: at.start()] + b"," + at[1] + line[at.end() :]
        else:
            # Written anew by another program: what counts is the canonical form of what it says.
            body = encode(fields)
        record = Record(fields["session"], fields["seq"], fields["type"], body, hash)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    texts = (record.session, record.type, record.hash)
    is_shaped = type(record.seq) is int and all(type(text) is str for text in texts)
    return record if is_shaped else None
