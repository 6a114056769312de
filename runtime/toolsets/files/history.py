"""What a session has seen of files, and what it has replaced.

The rule of reading before editing stands on the one, the way back on the other; both are bounded.

Source: spec PIPELINE 15.3, 15.4.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from codemode.runtime.errors import MisuseError

#: The oldest sessions are forgotten; one that was has to read again.
_MAX_SESSIONS: Final = 1_000
_MAX_CHANGES: Final = 10_000


class UndoError(MisuseError):
    """A change cannot be taken back: the file is another one by now, or its content is not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One write.

    Attributes:
        session: In whose log it is; "" for a call without an owner.
        path: Relative to the root.
        before_sha256: Digest of the content before, which is kept; None of a new file.
        after_sha256: Digest of what was written.
    """

    session: str
    call_id: str
    path: str
    before_sha256: str | None
    after_sha256: str


class History:
    """What each session has seen, and every change, oldest first; bounded."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, dict[str, str]] = OrderedDict()
        self.changes: list[Change] = []

    def saw(self, session: str, path: str, sha256: str) -> None:
        """The session knows this content of the file: it has read or written it."""
        self._seen.setdefault(session, {})[path] = sha256
        self._seen.move_to_end(session)
        while len(self._seen) > _MAX_SESSIONS:
            self._seen.popitem(last=False)

    def changed(self, change: Change) -> None:
        """Note a write; its author knows what was written."""
        self.changes.append(change)
        del self.changes[:-_MAX_CHANGES]
        self.saw(change.session, change.path, change.after_sha256)

    def objection(self, session: str, path: str, sha256: str) -> str | None:
        """Why the session may not replace the content with that digest; None when it may."""
        seen = self._seen.get(session, {}).get(path)
        if seen is None:
            return f"{path} was not read in this session; read it first"
        if seen != sha256:
            return f"{path} has changed since it was read; read it again"
        return None
