"""What the policy says when it says no: the construct, the place, and what to write instead.

Nothing here decides anything; it only carries and words decisions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from codemode.sandbox.errors import CodeModeError
from codemode.sandbox.language import attributes
from codemode.sandbox.marks import override


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One construct that the policy refuses.

    Attributes:
        line: From 1, as in tracebacks.
        column: From 1, in characters.
        construct: What was written, such as `attribute __globals__`.
        message: Why it is refused.
        alternative: What to write instead; "" when there is nothing.
    """

    line: int
    column: int
    construct: str
    message: str
    alternative: str = ""

    @override
    def __str__(self) -> str:
        instead = f"; use {self.alternative} instead" if self.alternative else ""
        return f"line {self.line}: {self.construct} is refused: {self.message}{instead}"


class PolicyRefusal(CodeModeError):
    """A program uses constructs that the policy refuses. Nothing of it ran.

    Attributes:
        refusals: All of them, in source order; at least one.
    """

    def __init__(self, refusals: tuple[Refusal, ...]) -> None:
        super().__init__("\n".join(map(str, refusals)))
        self.refusals = refusals


class DeniedError(AttributeError):
    """Raised inside a running program by a guard; the program sees an `AttributeError`."""

    __module__ = "builtins"  # so that a traceback shows the bare name


#: Why `x.a += y` is refused where `x.a` needs a check, and what to write.
IN_PLACE: Final = ("it would be read unchecked", "x.a = x.a + y")


def denied(construct: str, reason: str, alternative: str = "") -> DeniedError:
    """The run-time counterpart of a `Refusal`; the traceback gives the line."""
    instead = f"; use {alternative} instead" if alternative else ""
    return DeniedError(f"{construct} is refused here: {reason}{instead}")


def refuse_name(name: str) -> Exception:
    """The error for an attribute name that no object may be asked for."""
    return denied(f"attribute {name!r}", *attributes.explain(name))
