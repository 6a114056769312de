"""The run journal: what each program asked and what reached it, in order, for replay.

Kept apart from the session log, with its own switch and its own retention, because it holds the
values themselves.
"""

from codemode.runtime.log.journal.file import journal_path
from codemode.runtime.log.journal.record import (
    Entry,
    EntryKind,
    Journal,
    JournalMode,
    JournalRun,
    first_head,
)
from codemode.runtime.log.journal.sqlite import SqliteJournal

__all__ = [
    "Entry",
    "EntryKind",
    "Journal",
    "JournalMode",
    "JournalRun",
    "SqliteJournal",
    "first_head",
    "journal_path",
]
