"""What the model reads of a run: its output and result, or its failure with the effect ledger.

Pure functions. Source: spec CODE_MODE 2.3 to 2.5.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from codemode.sandbox.program import Failure, LogEntry
from codemode.sandbox.values import Json

EMPTY: Final = "(the program printed nothing and returned nothing)"


def shorten(text: str, budget: int) -> str:
    """Keep the head and the tail of a text that is longer than `budget` characters, and say so."""
    if len(text) <= budget:
        return text
    head = budget * 2 // 3
    tail = budget - head
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out} characters left out ...]\n{text[-tail:]}"


def render_value(value: Json) -> str:
    """Strings raw, other values as compact, readable JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def success_text(logs: Sequence[LogEntry], *, has_result: bool, result: Json) -> str:
    """The printed text, then the result; `EMPTY` when there is neither."""
    printed = "".join(entry.text for entry in logs)
    parts = [printed.rstrip("\n")] if printed.strip("\n") else []
    if has_result and not (result is None and parts):
        parts.append(render_value(result))
    return "\n".join(parts) or EMPTY


def failure_text(failure: Failure, logs: Sequence[LogEntry], ledger: str, *, budget: int) -> str:
    """The kind, the message, the program's own traceback, what was printed, and the ledger.

    Args:
        budget: Most characters of printed text that are kept, head and tail.
    """
    where = f", line {failure.line}" if failure.line is not None and not failure.traceback else ""
    parts = [f"the program failed ({failure.kind}{where}): {failure.message}"]
    if failure.traceback:
        parts.append(failure.traceback.rstrip("\n"))
    printed = "".join(entry.text for entry in logs).rstrip("\n")
    if printed:
        parts.append("Printed before the failure:\n" + shorten(printed, budget))
    parts.append(ledger or "No tool was called.")
    return "\n\n".join(parts)
