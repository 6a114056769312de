"""Calling a function with a call's arguments: converted, completed by the runtime, never guessed.

What was not sent is left out, so that the function's own defaults apply.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from codemode.runtime.conversion import ConversionError, Convert, is_total
from codemode.runtime.definition import Arguments
from codemode.runtime.execution import RunContext
from codemode.runtime.signatures import MISSING, Parameter, is_async_callable


def conversion_check(
    parameters: list[Parameter], own: Callable[[Arguments], Iterable[str] | None] | None
) -> Callable[[Arguments], Iterable[str] | None] | None:
    """Convert before anything runs, so that what has no value of its type is a bad argument."""
    partial = [p for p in parameters if p.convert is not None and not is_total(p.convert)]
    if not partial:
        return own

    def validate(arguments: Arguments) -> Iterable[str]:
        faults: list[str] = []
        for parameter in partial:
            try:
                _converted(parameter, arguments)
            except ConversionError as error:
                faults.append(f"{parameter.name}: {error}")
        return faults or (own(arguments) if own is not None else None) or ()

    return validate


def _converted(parameter: Parameter, arguments: Arguments) -> Any:
    if parameter.convert is not None and parameter.name in arguments:
        return parameter.convert(arguments[parameter.name])
    return MISSING


def adapt(
    function: Callable[..., Any], parameters: list[Parameter], convert: Convert | None
) -> Callable[[Arguments, RunContext], Any]:
    """What the pipeline calls: arguments converted, others injected, the result made JSON."""
    named = frozenset(p.name for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD)
    open_root = next((p for p in parameters if p.kind is inspect.Parameter.VAR_KEYWORD), None)

    def bind(arguments: Arguments, run: RunContext) -> tuple[list[Any], dict[str, Any]]:
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for parameter in parameters:
            if parameter is open_root:
                continue
            if parameter.provider is not None:
                value = parameter.provider(run)
            elif parameter.name in arguments:
                convert_one = parameter.convert
                value = arguments[parameter.name]
                value = value if convert_one is None else convert_one(value)
            else:
                # Not sent: the function's own default applies.
                if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                    positional.append(parameter.default)
                continue
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                positional.append(value)
            else:
                keywords[parameter.name] = value
        if open_root is not None and open_root.convert is not None:
            for key, value in arguments.items():
                if key not in named:
                    keywords[key] = open_root.convert(value)
        return positional, keywords

    if is_async_callable(function):

        async def execute_async(arguments: Arguments, run: RunContext) -> Any:
            positional, keywords = bind(arguments, run)
            value = await function(*positional, **keywords)
            return value if convert is None else convert(value)

        return execute_async

    def execute(arguments: Arguments, run: RunContext) -> Any:
        positional, keywords = bind(arguments, run)
        value = function(*positional, **keywords)
        return value if convert is None or inspect.isawaitable(value) else convert(value)

    return execute
