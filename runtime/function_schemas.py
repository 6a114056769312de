"""The two JSON Schemas of a Python function: of its arguments, and of its result.

Pydantic writes them, from the same annotations by which values are converted (conversion.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Flag
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from codemode.runtime.conversion import tidy
from codemode.runtime.docstrings import Documentation
from codemode.runtime.errors import DefinitionError
from codemode.runtime.signatures import MISSING, Parameter, in_one_line, notes_of, reason

if TYPE_CHECKING:
    from pydantic.json_schema import GenerateJsonSchema

#: Stands among the fields for what `**kwargs` takes.
_OTHERS: Final = "**"


def parameters_schema(
    title: str, parameters: list[Parameter], documentation: Documentation
) -> dict[str, Any]:
    """The schema of the arguments object; its root is closed unless there is `**kwargs`.

    Raises:
        DefinitionError: A parameter's type has no JSON Schema.
    """
    from pydantic import ConfigDict, create_model

    shown = [parameter for parameter in parameters if parameter.provider is None]
    fields: dict[str, Any] = {
        f"p{at}": _field(parameter, documentation) for at, parameter in enumerate(shown)
    }
    try:
        model = create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)
        schema: dict[str, Any] = model.model_json_schema(schema_generator=_generator())
    except Exception as error:
        raise DefinitionError(title, _faults(shown, error)) from error
    schema.setdefault("properties", {})
    schema.pop("description", None)
    tidied: dict[str, Any] = tidy(schema)
    if _OTHERS in tidied["properties"]:
        tidied["additionalProperties"] = tidied["properties"].pop(_OTHERS) or True
    return tidied


def output_schema(title: str, returns: Any) -> dict[str, Any]:
    """The schema of the result; `{}`, any JSON, without an annotation.

    Raises:
        DefinitionError: The return type has no JSON Schema.
    """
    if returns is MISSING or returns is Any:
        return {}
    from pydantic import TypeAdapter

    try:
        schema: dict[str, Any] = tidy(
            TypeAdapter(returns).json_schema(mode="serialization", schema_generator=_generator())
        )
    except Exception as error:
        raise DefinitionError(title, (f"its return type: {reason(error, returns)}",)) from error
    return schema


@cache
def _generator() -> type[GenerateJsonSchema]:
    """Pydantic's writer of schemas, with what we mean by them."""
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        # A default that is not JSON is the function's own, and no news.
        ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}  # noqa: RUF012 - pydantic's

        @override
        def enum_schema(self, schema: Any) -> dict[str, Any]:
            """Flags are added up, so that a number may stand for several members, or for none."""
            written = super().enum_schema(schema)
            if issubclass(schema["cls"], Flag):
                members: dict[str, int] = {one.name: one.value for one in schema["members"]}
                del written["enum"]
                told = ", ".join(f"{name} {value}" for name, value in members.items())
                written.setdefault("description", f"The sum of: {told}")
                written |= {"minimum": 0, "maximum": _all_of(members.values())}
            return written

    return Generator


def _all_of(flags: Iterable[int]) -> int:
    bits = 0
    for flag in flags:
        bits |= flag
    return bits


def _field(parameter: Parameter, documentation: Documentation) -> tuple[Any, Any]:
    """The parameter as a field of a pydantic model, under its name on the wire."""
    from pydantic import Field

    key = _OTHERS if parameter.is_open else parameter.key
    facts: dict[str, Any] = {"alias": key, "validation_alias": key}
    text = _own_description(parameter.annotation) or documentation.parameters.get(parameter.name)
    if text and not parameter.is_open:
        facts["description"] = text
    if parameter.is_open or parameter.default is MISSING:
        # May be left out, and has no default: a factory is in no schema.
        return parameter.annotation, Field(default_factory=object, **facts)
    if parameter.fallback is not None:
        return parameter.annotation, Field(**facts)  # its own Field has the default
    default = ... if parameter.is_required else parameter.default
    return parameter.annotation, Field(default, **facts)


def _own_description(annotation: Any) -> str | None:
    """The description in `Annotated[..., Field(description=...)]` or `Annotated[..., "text"]`."""
    from pydantic.fields import FieldInfo

    for note in notes_of(annotation):
        if isinstance(note, FieldInfo) and note.description:
            return note.description
        if isinstance(note, str):
            return note
    return None


def _faults(parameters: list[Parameter], error: Exception) -> tuple[str, ...]:
    """Which parameters have no schema; if it is none of them by itself, what was said."""
    from pydantic import TypeAdapter

    found: list[str] = []
    for parameter in parameters:
        try:
            TypeAdapter(parameter.annotation).json_schema()
        except Exception as own:  # noqa: BLE001 - pydantic raises many types for what it cannot do
            found.append(f"parameter {parameter.name}: {reason(own, parameter.annotation)}")
    return tuple(found) or (f"its parameters have no JSON Schema: {in_one_line(error)}",)
