"""What a runtime keeps: its log, its run journal, long texts and images; by default side by side.

Opened with the runtime and closed with it. Knows where things are and nothing of what is in them.
Source: spec PIPELINE 11, 12; AUDIT 1.2, 3.1.
"""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

from codemode.runtime.attachments import (
    AttachmentStore,
    FileAttachmentStore,
    MemoryAttachmentStore,
)
from codemode.runtime.code_mode.journaling import Journaling
from codemode.runtime.errors import MisuseError
from codemode.runtime.log import EventStore, Redactor, Signer, open_store
from codemode.runtime.log.journal import JournalMode, SqliteJournal, journal_path
from codemode.runtime.log.retention import Retention
from codemode.runtime.log.writer import GroupWriter
from codemode.runtime.spill import FileSpillStore, MemorySpillStore, SpillStore


class Storage:
    """See the arguments of the same names of `ToolRuntime`.

    Attributes:
        store: The log; None without one, and while the runtime is not entered.

    Raises:
        MisuseError: The journal has no place, or its retention no journal.
    """

    def __init__(
        self,
        log: str | Path | EventStore | None,
        *,
        journal: JournalMode,
        journal_file: str | Path | None,
        journal_retention: timedelta | None,
        redact: Redactor | None,
        signer: Signer | None,
        spill: SpillStore | None,
        attachments: AttachmentStore | None,
    ) -> None:
        if journal_file is not None and journal == "off":
            raise MisuseError("journal_file is of a journal: give journal='full' too")
        if journal_retention is not None and journal == "off":
            raise MisuseError("journal_retention is of a journal: give journal='full' too")
        if journal_retention is not None and journal_retention <= timedelta(0):
            raise MisuseError(f"journal_retention is longer than nothing, not {journal_retention}")
        self.store: EventStore | None = None
        self.redact = redact
        self.signer = signer
        self.spill = spill or _spill_beside(log)
        self.attachments = attachments or _attachments_beside(log)
        self._log = log
        self._journal_mode: JournalMode = journal
        self._journal_file = None if journal == "off" else _journal_file(log, journal_file)
        self._journal_retention = journal_retention

    def open(self, resources: AsyncExitStack) -> Journaling | None:
        """Open the log and the journal; gives what journals the runs, if anything does.

        Args:
            resources: Closes them.

        Raises:
            LogError: One of them cannot be opened.
        """
        if isinstance(self._log, (str, Path)):
            self.store = open_store(self._log)
            resources.callback(self.store.close)
            # Held while the runtime lives: a session then starts no thread of its own.
            resources.callback(GroupWriter.of(self.store).release)
        else:
            self.store = self._log
        return self._open_journal(resources)

    def _open_journal(self, resources: AsyncExitStack) -> Journaling | None:
        if self._journal_file is None:
            return None
        journal = SqliteJournal(self._journal_file)
        resources.callback(journal.close)
        keep = self._journal_retention
        retention = None if keep is None else Retention(journal, keep)
        if retention is not None:
            retention.apply(time.time())
        return Journaling(
            journal=journal,
            digests_only=self._journal_mode == "digest",
            redact=self.redact,
            retention=retention,
        )


def _attachments_beside(log: str | Path | EventStore | None) -> AttachmentStore:
    if isinstance(log, (str, Path)) and str(log) != ":memory:":
        return FileAttachmentStore(f"{log}.attachments")
    return MemoryAttachmentStore()


def _spill_beside(log: str | Path | EventStore | None) -> SpillStore:
    """Texts that are too long for a model are kept where their log is."""
    return FileSpillStore(f"{log}.spill") if isinstance(log, (str, Path)) else MemorySpillStore()


def _journal_file(log: object, file: str | Path | None) -> str | Path:
    """Where the journal goes.

    Raises:
        MisuseError: There is no log to keep it for, or no file to keep it beside.
    """
    if log is None:
        raise MisuseError("a journal belongs to a session log: give log=... too")
    if file is not None:
        return file
    if not isinstance(log, (str, Path)) or str(log) == ":memory:":
        raise MisuseError("the log is no file to keep the journal beside: give journal_file=...")
    return journal_path(Path(log))
