"""A ready-made collector of nested outcomes: provisional until the parent's result is known.

A nested success counts only if its parent succeeds. Nested results are held under the parent's
token and released, in the order in which they settled, when the parent succeeds; a failure or a
block of the parent discards them. Calls nested deeper travel up level by level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from codemode.runtime.execution import Execution, Token
from codemode.runtime.result import Result

#: One settled call.
Settled = tuple[Execution, Result]


class ProvisionalCollector:
    """An observer; add it with `scope.add("observer", collector)`.

    Args:
        release: Told of each call whose whole line of parents has succeeded.
        discard: Told of each nested call whose parent has failed.
    """

    name = "provisional collector"

    def __init__(
        self,
        release: Callable[[Execution, Result], None],
        discard: Callable[[Execution, Result], None] = lambda execution, result: None,
    ) -> None:
        self._release: Final = release
        self._discard: Final = discard
        self._held: Final[dict[Token, list[Settled]]] = {}

    def __call__(self, execution: Execution, result: Result) -> None:
        """Take one settled call."""
        nested = self._held.pop(execution.token, [])
        if result.is_error:
            for held in nested:
                self._discard(*held)
            nested = []
        settled = [*nested, (execution, result)]
        if execution.parent is not None:
            self._held.setdefault(execution.parent, []).extend(settled)
            return
        for held in settled:
            self._release(*held)
