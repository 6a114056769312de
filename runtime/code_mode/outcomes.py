"""A program's outcome as plain JSON, as the journal keeps it and a replay compares it.

Everything that the program itself decides, and nothing that a machine does: no times, no memory.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import cast

from codemode.sandbox.program import Outcome
from codemode.sandbox.values import Json


def as_json(outcome: Outcome) -> dict[str, Json]:
    """Output, result, failure, refusals that never left the guest, and digests of its files."""
    failure = outcome.failure
    return {
        "logs": [{"stream": entry.stream, "text": entry.text} for entry in outcome.logs],
        "has_result": outcome.has_result,
        "result": outcome.result,
        "failure": None if failure is None else cast("Json", asdict(failure)),
        "notices": list(outcome.notices),
        "artifacts": {
            path: hashlib.sha256(data).hexdigest() for path, data in outcome.artifacts.items()
        },
    }
