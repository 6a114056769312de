"""The session log: events, their chain, stores, and the writing end."""

from codemode.runtime.log.errors import (
    InvalidEventError,
    LogCorruptError,
    LogError,
    LogFormatError,
    LogFullError,
    LogNotFoundError,
    LogReadOnlyError,
    LogUnavailableError,
    LogVersionError,
    SessionBusyError,
    SessionClosedError,
    SessionNotFoundError,
)
from codemode.runtime.log.events import Event, Record
from codemode.runtime.log.preview import preview
from codemode.runtime.log.redaction import COMMON_SECRETS, Redactor
from codemode.runtime.log.session import SessionLog
from codemode.runtime.log.signing import KeySigner, Signer
from codemode.runtime.log.store import EventStore, copy_log, open_store, read_events

__all__ = [
    "COMMON_SECRETS",
    "Event",
    "EventStore",
    "InvalidEventError",
    "KeySigner",
    "LogCorruptError",
    "LogError",
    "LogFormatError",
    "LogFullError",
    "LogNotFoundError",
    "LogReadOnlyError",
    "LogUnavailableError",
    "LogVersionError",
    "Record",
    "Redactor",
    "SessionBusyError",
    "SessionClosedError",
    "SessionLog",
    "SessionNotFoundError",
    "Signer",
    "copy_log",
    "open_store",
    "preview",
    "read_events",
]
