"""Who broke the protocol, the other side or we ourselves; and what is no value of the wire."""

from __future__ import annotations

from codemode.sandbox.errors import CodeModeError


class ProtocolError(CodeModeError):
    """Base of the two errors below; never raised itself."""


class LocalProtocolError(ProtocolError):
    """This side asked for something that the current state does not allow: a bug of ours."""


class RemoteProtocolError(ProtocolError):
    """The other side broke the protocol. The only safe next step of a host is to kill the guest."""


class WireError(CodeModeError, ValueError):
    """Bytes are not one strict value, or a value cannot be said strictly."""


class TooManyError(WireError):
    """More than `wire.MOST_CONTAINERS` lists and maps in one value."""
