"""What a check gives: findings with the line, what is wrong, and what to write instead.

Data and its text for the model. Pure. Source: spec SDK 6.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from typing_extensions import override

from codemode.sandbox.values import Json

#: `advise` explains failures, `block` refuses a program with findings before it runs.
TypeCheck = Literal["off", "advise", "block"]

#: All that a check ever says; whatever else a type checker would report is not asked for.
Rule = Literal[
    "unknown-tool",
    "unknown-argument",
    "missing-argument",
    "argument-type",
    "unknown-key",
    "forgotten-await",
    "unresolved-name",
]

#: Most findings that one program gets; the first mistakes explain the later ones.
MAX_FINDINGS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One mistake in a program.

    Attributes:
        line: From 1, in the program as it was compiled.
        column: From 1, in characters.
        message: What is wrong and what to write instead.
    """

    line: int
    column: int
    rule: Rule
    message: str

    @override
    def __str__(self) -> str:
        return f"line {self.line}: {self.message} [{self.rule}]"

    def as_json(self) -> dict[str, Json]:
        """The durable form."""
        return {
            "line": self.line,
            "column": self.column,
            "rule": self.rule,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What the check of one program came to.

    Attributes:
        findings: In the order of the program.
        skipped: Why there was no check, or None; then there are no findings.
    """

    findings: tuple[Finding, ...] = ()
    skipped: str | None = None

    def as_json(self) -> dict[str, Json]:
        """The durable form, for a result's meta."""
        if self.skipped is not None:
            return {"findings": [], "skipped": self.skipped}
        return {"findings": [finding.as_json() for finding in self.findings]}


def advice(findings: Sequence[Finding]) -> str:
    """What a failed run's text says of its findings; "" without any."""
    if not findings:
        return ""
    return "The type check of the program says:\n" + _listed(findings)


def refusal(findings: Sequence[Finding]) -> str:
    """What the model reads of a program that was not run for its findings."""
    return (
        "the program failed (policy): the type check found mistakes, and nothing was run.\n"
        f"{_listed(findings)}\n\nCorrect these lines and send the whole program again."
        " No tool was called."
    )


def _listed(findings: Sequence[Finding]) -> str:
    return "\n".join(f"- {finding}" for finding in findings)
