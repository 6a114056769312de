"""What a function takes and gives, read from its signature, annotations and docstring.

The one place where a Python function becomes two JSON Schemas. What has no schema is refused when
the tool is made, with every parameter that is at fault.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from codemode.runtime.conversion import Convert, argument_converter, tidy
from codemode.runtime.docstrings import Documentation
from codemode.runtime.errors import DefinitionError
from codemode.runtime.injected import Provider, provider_of

_EMPTY: Final = inspect.Parameter.empty
#: A function without a return annotation, and an argument that was not sent.
MISSING: Final = object()


def is_async_callable(function: object) -> bool:
    """Whether calling it gives a coroutine, also through partials and callable objects."""
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - its kind is asked, not whether it is there
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of the function: the model's, or (with a provider) the runtime's."""

    name: str
    annotation: Any
    default: Any
    kind: Any
    provider: Provider | None = None
    convert: Convert | None = None


def read_signature(title: str, function: Callable[..., Any]) -> tuple[list[Parameter], Any]:
    """The parameters with their resolved annotations, and the return annotation."""
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    if not (inspect.isfunction(target) or inspect.ismethod(target)):
        target = type(target).__call__
    try:
        hints = typing.get_type_hints(target, include_extras=True)
        signature = inspect.signature(function)
    except (NameError, TypeError, ValueError) as error:
        raise DefinitionError(title, (f"its annotations cannot be read: {error}",)) from error
    found: list[Parameter] = []
    faults: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            faults.append(f"*{parameter.name}: a model passes arguments by name; take a list")
            continue
        annotation = hints.get(parameter.name, Any)
        provider = provider_of(annotation)
        convert: Convert | None = None
        if provider is None:
            try:
                convert = argument_converter(annotation)
            except Exception as error:  # noqa: BLE001 - pydantic raises many types for what it cannot do
                faults.append(f"parameter {parameter.name}: {_first_line(error)}")
        found.append(
            Parameter(
                name=parameter.name,
                annotation=annotation,
                default=parameter.default,
                kind=parameter.kind,
                provider=provider,
                convert=convert,
            )
        )
    if faults:
        raise DefinitionError(title, tuple(faults))
    return found, hints.get("return", MISSING)


def parameters_schema(
    title: str, parameters: list[Parameter], documentation: Documentation, *, is_open: bool
) -> dict[str, Any]:
    """The schema of the arguments object; its root is closed unless there is `**kwargs`.

    Raises:
        DefinitionError: A parameter's type has no JSON Schema.
    """
    from pydantic import ConfigDict, Field, create_model
    from pydantic.json_schema import GenerateJsonSchema

    class Quiet(GenerateJsonSchema):
        """A default that is not JSON is the function's own, and no news."""

        ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}  # noqa: RUF012 - pydantic's

    fields: dict[str, Any] = {}
    for at, parameter in enumerate(parameters):
        if parameter.provider is not None or parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        default = ... if parameter.default is _EMPTY else parameter.default
        facts: dict[str, Any] = {"alias": parameter.name}
        if text := documentation.parameters.get(parameter.name):
            facts["description"] = text
        annotation: Any = parameter.annotation
        if own := _own_description(annotation):
            facts["description"] = own
        fields[f"p{at}"] = (annotation, Field(default, **facts))
    try:
        model = create_model(
            "Arguments",
            __config__=ConfigDict(extra="allow" if is_open else "forbid"),
            **fields,
        )
        schema = model.model_json_schema(schema_generator=Quiet)
    except Exception as error:
        raise DefinitionError(
            title, (f"its parameters have no JSON Schema: {_first_line(error)}",)
        ) from error
    schema.setdefault("properties", {})
    schema.pop("description", None)
    tidied: dict[str, Any] = tidy(schema)
    return tidied


def _own_description(annotation: Any) -> str | None:
    """The description in `Annotated[..., Field(description=...)]` or `Annotated[..., "text"]`."""
    if typing.get_origin(annotation) is not typing.Annotated:
        return None
    from pydantic.fields import FieldInfo

    for note in typing.get_args(annotation)[1:]:
        if isinstance(note, FieldInfo) and note.description:
            return note.description
        if isinstance(note, str):
            return note
    return None


def output_schema(title: str, returns: Any) -> dict[str, Any]:
    """The schema of the result; `{}`, any JSON, without an annotation.

    Raises:
        DefinitionError: The return type has no JSON Schema.
    """
    if returns is MISSING or returns is Any:
        return {}
    from pydantic import TypeAdapter

    try:
        schema: dict[str, Any] = tidy(TypeAdapter(returns).json_schema(mode="serialization"))
    except Exception as error:
        raise DefinitionError(
            title, (f"its return type has no JSON Schema: {_first_line(error)}",)
        ) from error
    return schema


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:300]
