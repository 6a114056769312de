"""Parameters that the runtime sets: they are in no schema, and no model may name them.

A parameter annotated `RunContext` or `CancelSignal` gets this call's; one annotated
`Annotated[Database, Inject(get_database)]` gets what the provider gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, get_args, get_origin

from codemode.runtime.cancellation import CancelSignal
from codemode.runtime.execution import RunContext

Provider = Callable[[RunContext], Any]


@dataclass(frozen=True, slots=True)
class Inject:
    """Marks a host dependency.

    Attributes:
        provider: Synchronous; called for each call, just before the body.
    """

    provider: Provider


def _run(run: RunContext) -> RunContext:
    return run


def _signal(run: RunContext) -> CancelSignal:
    return run.signal


def provider_of(annotation: object) -> Provider | None:
    """Who provides a parameter of that annotation; None when the model does."""
    if annotation is RunContext:
        return _run
    if annotation is CancelSignal:
        return _signal
    if get_origin(annotation) is Annotated:
        base, *notes = get_args(annotation)
        for note in notes:
            if isinstance(note, Inject):
                return note.provider
        return provider_of(base)
    return None
