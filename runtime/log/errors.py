"""Errors of the session log. Each says what happened, whether anything was lost, and what to do."""

from __future__ import annotations

from codemode.sandbox.errors import CodeModeError


class LogError(CodeModeError):
    """Base of every error of the session log."""


class LogFormatError(LogError):
    """The file is not a session log. It was not touched; name another file."""


class LogVersionError(LogError):
    """The log was written by a newer codemode. It was not touched; upgrade to read it."""


class LogReadOnlyError(LogError):
    """The log cannot be written (permissions, or a read-only mount). What it holds is intact."""


class LogFullError(LogError):
    """The disk is full. What was acknowledged is intact; free some space and go on."""


class LogCorruptError(LogError):
    """A part of the log cannot be read. Run `codemode audit verify` on a copy of it."""


class LogUnavailableError(LogError):
    """An event could not be made durable (the reason in `__cause__`).

    Everything acknowledged before is intact; what came after is not in the log, and the session
    accepts no more events. A call whose start meets this must not run.
    """


class SessionBusyError(LogError):
    """Another writer has this session. Nothing was written; end it, or open another session."""


class SessionClosedError(LogError):
    """The session was closed. Nothing was written; open another session."""


class SessionNotFoundError(LogError):
    """The log has no such session."""


class InvalidEventError(LogError, ValueError):
    """An event does not fit its published schema. Nothing was written: a fault of the caller."""


class LogNotFoundError(LogError):
    """There is no log at that path. Nothing was made; check the name."""
