"""A registered tool: its definition together with everything compiled from it once.

Compiling is where a bad schema is found, so it happens at registration and never in a call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from codemode.runtime.definition import Tool
from codemode.runtime.errors import DefinitionError
from codemode.sandbox.values import InvalidValueError, snapshot
from codemode.sdkgen import SchemaError, Validator, compile_schema
from codemode.sdkgen.survey import Standing, survey


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contract:
    """A tool ready to be called.

    Attributes:
        arguments: Judges the arguments object; None when the tool judges its own.
        output: Judges the canonical value; None when any JSON will do.
        declared: The parameter names that the schema's root declares.
        is_closed: The root refuses other names.
        degraded: Schema nodes that became any JSON, for `codemode sdk --explain`.
    """

    tool: Tool
    arguments: Validator | None
    output: Validator | None
    declared: tuple[str, ...]
    required: tuple[str, ...]
    is_closed: bool
    degraded: tuple[str, ...] = ()


def compile_contract(tool: Tool, *, is_transport: bool = False) -> Contract:
    """Compile the schemas of `tool`, listing every fault at once.

    Args:
        is_transport: It is `run_code` itself, the one tool that may have the name.

    Raises:
        DefinitionError: The definition is unfit; nothing was registered.
    """
    faults = tool.faults(is_transport=is_transport)
    degraded: list[str] = []
    arguments = _compiled("parameters", tool.parameters, tool, faults, degraded)
    output: Validator | None = None
    if tool.output is not None and tool.output.schema:
        output = _compiled("output.schema", tool.output.schema, tool, faults, degraded)
    if faults:
        raise DefinitionError(str(tool.name), tuple(faults))
    properties: Any = tool.parameters.get("properties")
    required: Any = tool.parameters.get("required")
    return Contract(
        tool=tool,
        arguments=None if tool.validates_own_arguments else arguments,
        output=output,
        declared=_names(properties if isinstance(properties, Mapping) else ()),
        required=_names(required if isinstance(required, (list, tuple)) else ()),
        is_closed=tool.parameters.get("additionalProperties") is False
        and not tool.parameters.get("patternProperties"),
        degraded=tuple(degraded),
    )


def _names(found: Any) -> tuple[str, ...]:
    return tuple(name for name in found if isinstance(name, str))


def _compiled(
    where: str, schema: Any, tool: Tool, faults: list[str], degraded: list[str]
) -> Validator | None:
    if not isinstance(schema, Mapping):
        faults.append(f"{where} must be a JSON Schema object, not {type(schema).__name__}")
        return None
    declared: Any = cast("Mapping[str, Any]", schema)
    standing = survey(declared)
    try:
        if standing is Standing.UNSURE:
            declared = snapshot(dict(declared), freeze=False)
        validator = compile_schema(declared, lenient=tool.is_adapted, standing=standing)
    except InvalidValueError as error:
        faults.append(f"{where} is not JSON: {error}")
    except SchemaError as error:
        faults.extend(f"{where}{fault.pointer}: {fault.reason}" for fault in error.faults)
    else:
        degraded.extend(f"{where}{note}" for note in validator.degraded)
        return validator
    return None
