"""What this host lets a program do: one of each layer, each within its own budget."""

from __future__ import annotations

from collections import Counter

from codemode.runtime.content import text_content
from codemode.runtime.execution import Execution
from codemode.runtime.policy import Accept, Around, BodyOutcome, CallNext, Deny
from codemode.runtime.result import ContextMessage, Result


def no_commits(execution: Execution) -> Deny | None:
    """Pre-execute: this program reports; it does not write to the repository."""
    if execution.name == "git_commit":
        return Deny("this program may read the repository, not write to it", rule="read-only-repo")
    return None


def this_repository_only(execution: Execution) -> str | None:
    """Guard: no later layer can undo it."""
    if execution.arguments.get("repo_path", ".") != ".":
        return "only the repository in the working directory may be read"
    return None


class Meter:
    """Around: counts what really ran. Observer: counts what came of it."""

    def __init__(self) -> None:
        self.bodies: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()

    async def wrap(self, around: Around, call_next: CallNext) -> BodyOutcome:
        """Count the body and let it run."""
        self.bodies[around.execution.name] += 1
        return await call_next()

    def observe(self, execution: Execution, result: Result) -> None:
        """Count the outcome of every call, whether its body ran or not."""
        self.outcomes[result.code or "ok"] += 1


def note_large_patches(execution: Execution, outcome: BodyOutcome) -> Accept | None:
    """Post-execute: tell the model, beside the result, that a patch was large."""
    if (
        execution.name == "git_show"
        and isinstance(outcome.value, str)
        and len(outcome.value) > 500_000
    ):
        note = f"{execution.arguments['revision']} is a patch of {len(outcome.value):,} characters."
        return Accept(contexts=(ContextMessage(content=text_content(note), source="patch-size"),))
    return None
