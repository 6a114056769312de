"""Calling a function with a call's arguments: converted, completed by the runtime, never guessed.

What was not sent is left out, so that the function's own defaults apply.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

from codemode.runtime.conversion import ConversionError, Convert, is_total
from codemode.runtime.definition import Arguments
from codemode.runtime.doors import OutputError
from codemode.runtime.execution import RunContext
from codemode.runtime.failures import describe_exception
from codemode.runtime.signatures import Parameter, is_async_callable


def conversion_check(
    parameters: list[Parameter], own: Callable[[Arguments], Iterable[str] | None] | None
) -> Callable[[Arguments], Iterable[str] | None] | None:
    """Convert before anything runs, so that what has no value of its type is a bad argument."""
    if all(not p.taken and (p.convert is None or is_total(p.convert)) for p in parameters):
        return own
    bind = _Binding(parameters)

    def validate(arguments: Arguments) -> Iterable[str]:
        faults = [f"{key}: {why}" for key, why in bind.refused(arguments)]
        for key, convert in bind.sent(arguments):
            try:
                convert(arguments[key])
            except ConversionError as error:
                faults.append(f"{key}: {error}")
        return faults or (own(arguments) if own is not None else None) or ()

    return validate


def adapt(
    function: Callable[..., Any], parameters: list[Parameter], convert: Convert | None
) -> Callable[[Arguments, RunContext], Any]:
    """What the pipeline calls: arguments converted, others injected, the result made JSON."""
    bind = _Binding(parameters)
    made_json = None if convert is None else _as_output(convert)

    async def awaited(awaitable: Awaitable[Any]) -> Any:
        value = await awaitable
        return value if made_json is None else made_json(value)

    if is_async_callable(function):

        async def execute_async(arguments: Arguments, run: RunContext) -> Any:
            positional, keywords = bind(arguments, run)
            value = await function(*positional, **keywords)
            return value if made_json is None else made_json(value)

        return execute_async

    def execute(arguments: Arguments, run: RunContext) -> Any:
        positional, keywords = bind(arguments, run)
        value = function(*positional, **keywords)
        if made_json is None:
            return value
        # A sync decorator around an async function gives a coroutine.
        return awaited(value) if inspect.isawaitable(value) else made_json(value)

    return execute


def _as_output(convert: Convert) -> Convert:
    """The conversion of a result, whose failure is the tool's output's and not its body's."""

    def made_json(value: Any, /) -> Any:
        try:
            return convert(value)
        except Exception as error:
            hint = "; return base64 text for bytes" if isinstance(error, UnicodeError) else ""
            raise OutputError(
                "the tool returned a value that cannot be made JSON:"
                f" {describe_exception(error)}{hint}"
            ) from error

    return made_json


class _Binding:
    """From arguments to what the function is called with."""

    def __init__(self, parameters: list[Parameter]) -> None:
        self._named = [p for p in parameters if not p.is_open]
        self._known = {p.key for p in self._named}
        others = next((p for p in parameters if p.is_open), None)
        self._convert_other = None if others is None else others.convert
        taken = frozenset[str]() if others is None else others.taken
        keys = {p.name: p.key for p in self._named}
        #: What to do instead, by the names that `**kwargs` cannot take.
        self._instead = {
            name: f"write {keys[name]}" if name in keys else "no argument; leave it out"
            for name in taken
        }

    def __call__(self, arguments: Arguments, run: RunContext) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for parameter in self._named:
            if parameter.provider is not None:
                value = parameter.provider(run)
            elif parameter.key in arguments:
                convert = parameter.convert
                value = arguments[parameter.key]
                value = value if convert is None else convert(value)
            elif parameter.fallback is not None:
                value = parameter.fallback()
            elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                value = parameter.default
            else:
                continue  # not sent: the function's own default applies
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                keywords[parameter.name] = value
        if self._convert_other is not None:
            for key in arguments.keys() - self._known:
                keywords[key] = self._convert_other(arguments[key])
        return positional, keywords

    def refused(self, arguments: Arguments) -> Iterator[tuple[str, str]]:
        """What was sent for `**kwargs` under a name that the function has for something else."""
        if self._instead:
            yield from ((key, self._instead[key]) for key in arguments if key in self._instead)

    def sent(self, arguments: Arguments) -> Iterator[tuple[str, Convert]]:
        """What was sent and is to be converted, in declared order."""
        for parameter in self._named:
            if parameter.convert is not None and parameter.key in arguments:
                yield parameter.key, parameter.convert
        if self._convert_other is not None:
            for key in arguments:
                if key not in self._known:
                    yield key, self._convert_other
