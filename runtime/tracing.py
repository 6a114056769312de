"""What the hooks of one call did, for the log: `hook/invoked` and `hook/result`.

Only answers that matter are written (a denial, a replacement, a throw): hooks that pass a call
leave no trace, so that a policy costs nothing where it has nothing to say.
"""

from __future__ import annotations

from typing import Final

from codemode.runtime.execution import Execution
from codemode.runtime.failures import encodable
from codemode.sandbox.values import Json


class HookTrace:
    """Writes the events of one call's hooks to its owner; without an owner it writes nothing."""

    __slots__ = ("_count", "_execution")

    def __init__(self, execution: Execution) -> None:
        self._execution: Final = execution
        self._count = 0

    def answered(self, stage: str, hook: str, outcome: str, reason: str = "") -> None:
        """Record that a hook of `stage` had something to say."""
        owner = self._execution.owner
        if owner is None:
            return
        self._count += 1
        call_id = self._execution.call_id
        common: dict[str, Json] = {
            "hook_id": f"{call_id}:hook:{self._count}",
            "hook": hook,
            "stage": stage,
            "call_id": call_id,
        }
        owner.record("hook/invoked", common)
        said: dict[str, Json] = {**common, "outcome": outcome}
        if reason:
            said["reason"] = encodable(reason)
        owner.record("hook/result", said)
