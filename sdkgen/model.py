"""One tool, read once: its parameters and output as shapes, under its Python names.

Everything that is rendered is rendered from this. Pure; never raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, cast

from codemode.sdkgen.arguments import as_record, takes_more
from codemode.sdkgen.compact import INPUT, OUTPUT, Detail, notation, typed
from codemode.sdkgen.documents import own_copy
from codemode.sdkgen.identifiers import localize
from codemode.sdkgen.names import assign_parameters
from codemode.sdkgen.reading import Note, read
from codemode.sdkgen.shapes import ANY, AnyJson, Field, Record, Shape, allows_object
from codemode.sdkgen.spec import ParameterName, ToolSpec

#: A server says with it that `{"result": ...}` is its own wrapper around a value.
WRAP_MARKER: Final = "x-fastmcp-wrap-result"


# Without slots: what is made of it is kept on it.
@dataclass(frozen=True, kw_only=True)
class ToolModel:
    """What the renderings need to know of one tool.

    Attributes:
        parameters: Required ones first, each with its field.
        others: What other names take, where the author says what.
        definitions: Bodies of named shapes in the parameters; `output_definitions` in the output.
        notes: Degraded nodes, of the parameters and of the output (pointers begin with `output`).
    """

    spec: ToolSpec
    parameters: tuple[tuple[ParameterName, Field], ...]
    others: Shape | None
    is_closed: bool
    output: Shape
    definitions: Mapping[str, Shape]
    output_definitions: Mapping[str, Shape]
    notes: tuple[Note, ...]

    @cached_property
    def call(self) -> str:
        """`(a: int, b?) -> {id: int}`: parameters and result as the catalog shows them."""
        return self.call_within(INPUT, OUTPUT)

    @cached_property
    def result(self) -> str:
        """` -> {id: int}`: the result alone; "" where the author does not say."""
        return self._result(OUTPUT)

    def call_within(self, inputs: Detail, outputs: Detail) -> str:
        """Parameters and result in the compact notation, at some detail."""
        parts: list[str] = []
        for parameter, field in self.parameters:
            mark = "" if parameter.required else "?"
            shown = notation(field.shape, self.definitions, inputs)
            parts.append(typed(f"{parameter.name}{mark}", shown))
        if self.others is not None:
            parts.append(f"**kwargs: {notation(self.others, self.definitions, inputs)}")
        return f"({', '.join(parts)}){self._result(outputs)}"

    def _result(self, detail: Detail) -> str:
        if isinstance(self.output, AnyJson):
            return ""
        return f" -> {notation(self.output, self.output_definitions, detail)}"


def read_tool(spec: ToolSpec) -> ToolModel:
    """Read the schemas of one tool."""
    schema, faults = own_copy(spec.parameters)
    localize(schema)
    reading = read(schema)
    record = as_record(reading.shape, reading.definitions)
    ordered = sorted(record.fields, key=lambda field: not field.required)
    names = assign_parameters(field.key for field in ordered)
    notes = [Note(pointer="", reason=fault) for fault in faults]
    notes.extend(reading.notes)
    output, definitions = _read_output(spec, notes)
    return ToolModel(
        spec=spec,
        parameters=tuple((_parameter(field, names[field.key]), field) for field in ordered),
        others=_others(record, schema),
        is_closed=record.is_closed,
        output=output,
        definitions=reading.definitions,
        output_definitions=definitions,
        notes=tuple(notes),
    )


def _others(record: Record, schema: Mapping[str, object]) -> Shape | None:
    """What undeclared names take; None where that is anything, beside names that are declared."""
    if record.extra is None or not (takes_more(schema) or schema.get("patternProperties")):
        return None
    return None if record.fields and isinstance(record.extra, AnyJson) else record.extra


def _parameter(field: Field, name: str) -> ParameterName:
    return ParameterName(
        key=field.key, name=name, required=field.required, is_object=allows_object(field.shape)
    )


def _read_output(spec: ToolSpec, notes: list[Note]) -> tuple[Shape, Mapping[str, Shape]]:
    if spec.output_schema is None:
        return ANY, {}
    schema, faults = own_copy(spec.output_schema)
    localize(schema)
    reading = read(unwrapped_schema(schema))
    notes.extend(Note(pointer="output", reason=fault) for fault in faults)
    notes.extend(
        Note(pointer="output" + note.pointer, reason=note.reason) for note in reading.notes
    )
    return reading.shape, reading.definitions


def unwrapped_schema(schema: dict[str, object]) -> dict[str, object]:
    """The schema of the value inside a marked `{"result": ...}` wrapper; otherwise `schema`."""
    properties = schema.get("properties")
    if schema.get(WRAP_MARKER) is not True or not isinstance(properties, dict):
        return schema
    inner = cast("dict[str, object]", properties).get("result")
    if not isinstance(inner, dict):
        return schema
    shared: dict[str, object] = {
        word: schema[word] for word in ("$schema", "$defs", "definitions") if word in schema
    }
    return {**shared, **cast("dict[str, object]", inner)}
