"""How long the run journal keeps a run: old ones are forgotten as new ones begin.

Only the journal: the session log is the record, and is never shortened. Nothing runs on its own
here; the host's runs drive it, so that a host which stands still forgets at its next start.

Source: spec AUDIT 3.1.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from codemode.runtime.log.journal import Journal

#: Seconds between two looks at the journal, at most; a shorter retention is looked at more often.
_EVERY_S: Final = 600.0
#: Looks during one retention time.
_LOOKS: Final = 10


class Retention:
    """Forgets the runs of a journal that began longer ago than `keep`.

    Raises:
        ValueError: `keep` is not longer than nothing.
    """

    def __init__(self, journal: Journal, keep: timedelta) -> None:
        if keep <= timedelta(0):
            raise ValueError(f"a retention time is longer than nothing, not {keep}")
        self._journal = journal
        self._keep_s = keep.total_seconds()
        self._due = float("-inf")

    def apply(self, now: float) -> int:
        """Forget what is too old, if it is time to look again.

        Args:
            now: Seconds since the epoch.

        Returns:
            How many runs were forgotten.

        Raises:
            LogError: The journal cannot be changed.
        """
        if now < self._due:
            return 0
        self._due = now + min(self._keep_s / _LOOKS, _EVERY_S)
        return self._journal.prune(now - self._keep_s)
