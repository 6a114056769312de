"""Parameters that the runtime sets: they are in no schema, and no model may name them.

A parameter annotated `RunContext` or `CancelSignal` gets this call's; one annotated
`Annotated[Database, Inject(get_database)]` gets what the provider gives.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

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


class _Checked:
    """A host's provider, with an error for one that would have to be awaited."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def __call__(self, run: RunContext) -> Any:
        value = self._provider(run)
        if inspect.iscoroutine(value):
            value.close()
            raise TypeError(
                "the provider of an injected parameter is async; it must be a plain one"
            )
        return value


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
                return _Checked(note.provider)
        return provider_of(base)
    if get_origin(annotation) in (Union, types.UnionType):
        # `run: RunContext | None = None`, for callers of the function itself.
        return next(filter(None, map(provider_of, get_args(annotation))), None)
    return None
