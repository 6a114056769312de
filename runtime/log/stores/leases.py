"""Who may write a session: an advisory lock that ends with its process, however it dies.

One byte of `LOG.lock` stands for a session. Open file description locks belong to the open file
and not to the process, so two stores of one process exclude each other too, and closing one does
not free the other's. The log itself is never locked: SQLite's own locks would be lost.

Source: fcntl_locking(2), "Open file description locks".
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import struct
from pathlib import Path
from typing import Final

from codemode.runtime.log.errors import LogReadOnlyError, SessionBusyError

#: `struct flock`: l_type, l_whence, l_start, l_len, l_pid, in the machine's own layout.
_FLOCK: Final = "hhqqi"
_TAKEN: Final = frozenset({errno.EAGAIN, errno.EACCES})


class FileLease:
    """The exclusive right to write one session of the log at `path`.

    Raises:
        SessionBusyError: Another writer has it.
        LogReadOnlyError: The lock file cannot be made.
    """

    def __init__(self, path: Path, session: str) -> None:
        lock_path = path.with_name(path.name + ".lock")
        try:
            self._fd = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LogReadOnlyError(f"{lock_path} cannot be made: {error.strerror}") from error
        offset = int.from_bytes(hashlib.sha256(session.encode()).digest()[:7])
        request = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, offset, 1, 0)
        try:
            fcntl.fcntl(self._fd, fcntl.F_OFD_SETLK, request)
        except OSError as error:
            self.release()
            if error.errno in _TAKEN:
                raise SessionBusyError(
                    f"session {session!r} of {path} has another writer; end it first"
                ) from error
            raise LogReadOnlyError(f"{lock_path} cannot be locked: {error.strerror}") from error

    def release(self) -> None:
        """Give it up; a second time does nothing."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
