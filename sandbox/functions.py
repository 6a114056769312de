"""Plain functions as bindings: called with keywords, and told to the guest by their signatures."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import anyio.to_thread

from codemode.sandbox.bridge.wire import thaw
from codemode.sandbox.program import Binding, Call, Handler, Parameter, Signature
from codemode.sandbox.values import Json


def as_binding(function: Callable[..., Any] | Binding) -> Binding:
    """A binding of a plain function: called with keywords, its signature told to the guest.

    What is not annotated is no matter: nothing is validated here but JSON and the names.
    """
    if isinstance(function, Binding):
        return function
    return Binding(handler=_handler(function), signature=_signature(function))


def _handler(function: Callable[..., Any]) -> Handler:
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(type(function), "__call__", None)  # noqa: B004  # an object with an async __call__
    )

    async def call_async(call: Call) -> Json:
        result: Json = await function(**thaw(call.arguments))
        return result

    async def call_in_thread(call: Call) -> Json:
        result: Any = await anyio.to_thread.run_sync(
            lambda: function(**thaw(call.arguments)), abandon_on_cancel=True
        )
        if inspect.isawaitable(result):
            result = await result
        value: Json = result
        return value

    return call_async if is_async else call_in_thread


def _signature(function: Callable[..., Any]) -> Signature | None:
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    kinds = {parameter.kind for parameter in found.parameters.values()}
    named = [
        parameter
        for parameter in found.parameters.values()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    named.sort(key=lambda parameter: parameter.default is not parameter.empty)
    return Signature(
        parameters=tuple(
            Parameter(
                key=parameter.name,
                name=parameter.name,
                required=parameter.default is parameter.empty,
                is_object=not _is_scalar(parameter.annotation),
            )
            for parameter in named
        ),
        is_closed=inspect.Parameter.VAR_KEYWORD not in kinds,
        doc=inspect.getdoc(function) or "",
    )


def _is_scalar(annotation: object) -> bool:
    """Whether a dict can surely not be meant for a parameter with this annotation."""
    return annotation in (str, int, float, bool, "str", "int", "float", "bool")
