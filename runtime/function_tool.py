"""`@tool`: a tool from a Python function's own signature, annotations and docstring.

The schemas cannot say what the function does not accept, for both come from one place. Arguments
are judged by the schema first, then converted to the annotated types before anything runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, Literal, overload

from codemode.runtime.conversion import Convert, result_converter
from codemode.runtime.definition import (
    READ_ONLY,
    Arguments,
    Effect,
    Output,
    Render,
    Tool,
    render_json,
    words_of,
)
from codemode.runtime.docstrings import Documentation, read_docstring
from codemode.runtime.errors import DefinitionError
from codemode.runtime.function_call import adapt, conversion_check
from codemode.runtime.function_schemas import output_schema, parameters_schema
from codemode.runtime.policy import BodyOutcome
from codemode.runtime.signatures import (
    MISSING,
    is_async_callable,
    read_signature,
    without_partial,
)
from codemode.sandbox.values import Json
from codemode.sdkgen import did_you_mean

__all__ = ["is_async_callable", "tool"]


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    effects: Iterable[Effect] = (),
    concurrency_safe: bool | Callable[[Arguments], bool] | None = None,
    timeout_s: float | None = None,
    aliases: Iterable[str] = (),
    group: str | None = None,
    pin: Literal["native", "code"] | None = None,
    advertised: bool = True,
    idempotent: bool = False,
    coerce: bool = False,
    output: Output | None = None,
    render: Render | None = None,
    presentation_meta: Callable[[Arguments, Json], Mapping[str, Any] | None] | None = None,
    normalize_arguments: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    validate_arguments: Callable[[Arguments], Iterable[str] | None] | None = None,
    finalize_content: Callable[[Arguments, BodyOutcome], object] | None = None,
    present_call: Callable[[Arguments], Mapping[str, Any] | None] | None = None,
    present_result: Callable[[Arguments, Mapping[str, Any]], Mapping[str, Any] | None]
    | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None, /, **options: Any
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function, sync or async; use it bare or with options.

    Args:
        function: Its parameters become the schema; `RunContext`, `CancelSignal` and `Inject` ones
            are set by the runtime. `**kwargs` opens the root.
        options: `name` and `description` default to the function's; `effects == {"read"}` implies
            `concurrency_safe` unless that is given; the rest are attributes of `Tool`.

    Raises:
        DefinitionError: An annotation has no JSON Schema, or no model can call the signature.
    """
    if function is None:

        def decorate(decorated: Callable[..., Any]) -> Tool:
            return _build(decorated, **options)

        return decorate
    return _build(function, **options)


def _build(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    effects: Iterable[str] = (),
    concurrency_safe: bool | Callable[[Arguments], bool] | None = None,
    aliases: Iterable[str] = (),
    idempotent: bool = False,
    coerce: bool = False,
    output: Output | None = None,
    render: Render | None = None,
    presentation_meta: Callable[[Arguments, Json], Mapping[str, Any] | None] | None = None,
    validate_arguments: Callable[[Arguments], Iterable[str] | None] | None = None,
    **options: Any,
) -> Tool:
    target = without_partial(function)
    if not callable(target) or isinstance(target, Tool):
        raise DefinitionError(name or type(target).__name__, (_not_a_function(target),))
    title = name or str(getattr(target, "__name__", type(target).__name__))
    _refuse_unknown(title, options)
    if inspect.isgeneratorfunction(target) or inspect.isasyncgenfunction(target):
        raise DefinitionError(title, ("a generator cannot be a tool; return a list",))
    if title == "<lambda>":
        raise DefinitionError(title, ("a lambda has no name; give it one: tool(name=...)(...)",))
    parameters, returns = read_signature(title, function)
    documentation = _documentation(target)
    declared: frozenset[Any] = words_of(effects, frozenset)
    if output is None:
        output = Output(
            schema=output_schema(title, returns),
            render=render or render_json,
            presentation_meta=presentation_meta,
        )
    return Tool(
        name=title,
        description=documentation.description if description is None else description,
        parameters=parameters_schema(title, parameters, documentation),
        output=output,
        execute=adapt(function, parameters, _result_converter(returns)),
        is_async=is_async_callable(function),
        effects=declared,
        is_concurrency_safe=declared == READ_ONLY if concurrency_safe is None else concurrency_safe,
        aliases=words_of(aliases, tuple),
        is_idempotent=idempotent,
        coerces=coerce,
        validate_arguments=conversion_check(parameters, validate_arguments),
        injected_parameters=frozenset(p.name for p in parameters if p.provider is not None),
        function=function,
        **options,
    )


def _not_a_function(target: object) -> str:
    if isinstance(target, Tool):
        return f"{target.name!r} is a tool already"
    return f"tool() takes a function, not {target!r}; a name is given as tool(name=...)"


def _refuse_unknown(title: str, options: Mapping[str, Any]) -> None:
    known = {field.name for field in fields(Tool)} | {"render", "concurrency_safe", "coerce"}
    found: list[str] = []
    for option in sorted(options.keys() - known):
        meant = did_you_mean(option, known)
        hint = f"; did you mean {meant!r}?" if meant else ""
        found.append(f"there is no option {option!r}{hint}")
    if found:
        raise DefinitionError(title, tuple(found))


def _result_converter(returns: Any) -> Convert | None:
    return None if returns is MISSING else result_converter(returns)


def _documentation(function: Any) -> Documentation:
    """The docstring of a function, or of a callable object's `__call__` before its class's."""
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        own = read_docstring(inspect.getdoc(type(function).__call__))
        if own.description:
            return own
    return read_docstring(inspect.getdoc(function))
