"""The effect ledger: what a program's calls did, so that no side effect is repeated blindly.

It is written in submission order by the dispatch bridge and read by the failure text, the result's
meta and the usage record. Source: spec CODE_MODE 2.5.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal

from codemode.sandbox.values import Json

DispatchOutcome = Literal[
    "ok", "error", "denied", "deferred", "stopped", "aborted", "discarded", "unknown", "refused"
]

#: How each outcome reads in the ledger. A call that never ran its body changed nothing.
_HEADINGS: Final[dict[DispatchOutcome, str]] = {
    "ok": "completed",
    "discarded": "completed, result not delivered",
    "error": "failed",
    "unknown": "outcome unknown",
    "aborted": "aborted",
    "denied": "denied",
    "deferred": "deferred",
    "stopped": "stopped",
    "refused": "never started",
}

_MAX_NAMED: Final = 20


@dataclass(slots=True, kw_only=True)
class LedgerEntry:
    """One sub-call.

    Attributes:
        is_mutating: The tool is not declared read-only.
        body_started: Whether the tool's body was entered: the side effect may have happened.
        outcome: None while the call is on its way.
        is_restored: An earlier run made it, which this one resumes.
    """

    number: int
    name: str
    is_mutating: bool = True
    body_started: bool = False
    outcome: DispatchOutcome | None = None
    is_restored: bool = False


@dataclass(slots=True)
class Ledger:
    """Every sub-call of one run, in submission order."""

    entries: list[LedgerEntry] = field(default_factory=list[LedgerEntry])

    def open(self, number: int, name: str) -> LedgerEntry:
        """Note a submission that the host received."""
        entry = LedgerEntry(number=number, name=name)
        self.entries.append(entry)
        return entry

    def restore(self, number: int, name: str) -> LedgerEntry:
        """Note a call of the earlier run that this one resumes."""
        entry = self.open(number, name)
        entry.is_restored = True
        return entry

    def counts(self) -> dict[str, int]:
        """Sub-calls of this run by outcome; what is still open counts as unknown."""
        made = (entry for entry in self.entries if not entry.is_restored)
        return dict(Counter(entry.outcome or "unknown" for entry in made))

    def as_json(self) -> Json:
        """The ledger as plain JSON, for the result's meta."""
        return [
            {
                "n": entry.number,
                "name": entry.name,
                "outcome": entry.outcome or "unknown",
                "mutating": entry.is_mutating,
                "body_started": entry.body_started,
            }
            for entry in self.entries
        ]

    def text(self) -> str:
        """The ledger for the model; "" when no call was made.

        Mutating calls whose body was entered are named one by one; the others are counted.
        """
        if not self.entries:
            return ""
        lines = ["Tool calls of this program:"]
        for outcome, heading in _HEADINGS.items():
            mine = [entry for entry in self.entries if (entry.outcome or "unknown") == outcome]
            if mine:
                names = Counter(entry.name for entry in mine)
                listed = ", ".join(f"{name} x{n}" if n > 1 else name for name, n in names.items())
                lines.append(f"- {heading}: {listed}")
        effects = [entry for entry in self.entries if entry.is_mutating and entry.body_started]
        if effects:
            lines.append("These may have changed something; check before you repeat them:")
            lines.extend(
                f"- call {entry.number}: {entry.name} ({_HEADINGS[entry.outcome or 'unknown']})"
                for entry in effects[:_MAX_NAMED]
            )
            if len(effects) > _MAX_NAMED:
                lines.append(f"- and {len(effects) - _MAX_NAMED} more")
        return "\n".join(lines)
