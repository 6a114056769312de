"""What a run does with a check: refuse the program before it runs, or explain its failure.

The only module of the part that knows of runs. A success never costs a check in `advise`, since its
findings are shown with a failure only; the text is the same before and after.
"""

from __future__ import annotations

from typing import Final

from codemode.runtime.errors import ToolError
from codemode.runtime.execution import RunContext
from codemode.runtime.typecheck.checker import Checker
from codemode.runtime.typecheck.findings import Checked, TypeCheck, advice, refusal
from codemode.sdkgen import Sdk

#: Failures that no text of a program explains.
_NOT_THE_PROGRAM: Final = frozenset({"abort", "sandbox_unavailable", "stopped"})


class Gate:
    """The checks of a runtime's programs.

    Args:
        mode: `off` starts nothing, and needs no package.
        checker: In place of the usual one.

    Raises:
        TypeCheckUnavailableError: The mode is not `off`, and the package `ty` is not installed.
    """

    def __init__(self, mode: TypeCheck = "off", *, checker: Checker | None = None) -> None:
        self._mode = mode
        self._checker = None if mode == "off" else checker or Checker()

    async def admit(self, sdk: Sdk, source: str, run: RunContext) -> None:
        """Let the program run, or say why not; only `block` ever looks.

        Raises:
            ToolError: The program has findings; `CODE_RUN_FAILED` of the kind `policy`.
        """
        if self._checker is None or self._mode != "block":
            return
        checked = await self._checker.check(sdk, source)
        _note(checked, run)
        if checked.findings:
            raise ToolError(refusal(checked.findings), "CODE_RUN_FAILED", kind="policy")

    async def explain(self, kind: str, sdk: Sdk, source: str, run: RunContext) -> str:
        """What the check says of a program that has failed; "" when it says nothing."""
        if self._checker is None or self._mode != "advise" or kind in _NOT_THE_PROGRAM:
            return ""
        checked = await self._checker.check(sdk, source)
        _note(checked, run)
        return advice(checked.findings)

    async def aclose(self) -> None:
        """End the checker."""
        if self._checker is not None:
            await self._checker.aclose()


def _note(checked: Checked, run: RunContext) -> None:
    if checked.findings or checked.skipped is not None:
        run.annotate("typecheck", checked.as_json())
