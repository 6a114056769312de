"""One tool explained: to a program that asks, to a model that searches, to a person. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from codemode.sdkgen.compact import FULL, notation
from codemode.sdkgen.documents import object_of, own_copy
from codemode.sdkgen.model import ToolModel
from codemode.sdkgen.prompt import example_call
from codemode.sdkgen.spec import ToolBinding
from codemode.sdkgen.stubs import method_text
from codemode.sdkgen.text import documentation, folded, inert, literal, summary
from codemode.sdkgen.validation import compile_schema

#: Longest schema that `describe` shows, in characters.
MAX_SCHEMA: Final = 8_000
_DOC: Final = 1_200
_BOUNDS: Final = (
    ("minimum", ">="),
    ("exclusiveMinimum", ">"),
    ("maximum", "<="),
    ("exclusiveMaximum", "<"),
    ("minLength", "length >="),
    ("maxLength", "length <="),
    ("minItems", "items >="),
    ("maxItems", "items <="),
    ("pattern", "matches"),
    ("format", "format"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """One found tool.

    Attributes:
        name: Its path in a program.
        score: Larger is better; comparable within one search only.
    """

    name: str
    signature: str
    summary: str
    score: float

    def as_json(self) -> dict[str, object]:
        """What a program sees."""
        return {"name": self.name, "signature": self.signature, "summary": self.summary}


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRow:
    """The names of one tool.

    Attributes:
        parameters: Exact key -> Python name, where they differ.
    """

    group: str | None
    wire: str
    path: str
    aliases: tuple[str, ...]
    parameters: Mapping[str, str]

    def as_json(self) -> dict[str, object]:
        """The row as plain JSON."""
        return {
            "group": self.group,
            "wire": self.wire,
            "path": self.path,
            "aliases": list(self.aliases),
            "parameters": dict(self.parameters),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class NameTable:
    """Wire names and Python names, both ways."""

    rows: tuple[NameRow, ...]

    def python(self, wire: str, group: str | None = None) -> str | None:
        """The path of a tool, or None."""
        return next((r.path for r in self.rows if r.wire == wire and r.group == group), None)

    def wire(self, path: str) -> tuple[str | None, str] | None:
        """(group, wire name) of a path or an alias, or None."""
        return next(((r.group, r.wire) for r in self.rows if path in (r.path, *r.aliases)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Everything that was made of one tool.

    Attributes:
        compact: Its line in the catalog.
        stub: Its stub, with the classes that it needs.
        degraded: Nodes that are rendered or checked as 'any JSON', with reasons.
    """

    wire: str
    python: str
    aliases: tuple[str, ...]
    parameters: Mapping[str, str]
    schema: Mapping[str, object]
    output_schema: Mapping[str, object] | None
    compact: str
    stub: str
    degraded: tuple[str, ...]

    @override
    def __str__(self) -> str:
        return self.text()

    def as_json(self) -> dict[str, object]:
        """All of it as plain JSON."""
        return {
            "wire": self.wire,
            "python": self.python,
            "aliases": list(self.aliases),
            "parameters": dict(self.parameters),
            "schema": self.schema,
            "output_schema": self.output_schema,
            "compact": self.compact,
            "stub": self.stub,
            "degraded": list(self.degraded),
        }

    def text(self) -> str:
        """All of it, for a terminal."""
        renamed = ", ".join(f"{inert(k)} -> {v}" for k, v in self.parameters.items() if k != v)
        parts = [
            f"wire name:   {inert(self.wire)}",
            f"Python name: {self.python}",
            f"aliases:     {', '.join(self.aliases) or 'none'}",
            f"renamed:     {renamed or 'none'}",
            f"degraded:    {'; '.join(inert(reason) for reason in self.degraded) or 'none'}",
            f"\ncatalog line:\n{self.compact}",
            f"\nstub:\n{self.stub}",
            f"\nschema:\n{_json(self.schema, 100_000)}",
        ]
        if self.output_schema is not None:
            parts.append(f"\noutput schema:\n{_json(self.output_schema, 100_000)}")
        return "\n".join(parts)


def binding_doc(path: str, model: ToolModel) -> str:
    """Signature and description, for `help()`."""
    head = path.removeprefix("tools.") + model.call
    text = documentation(model.spec.description, _DOC)
    return f"{head}\n\n{text}" if text else head


def search_hit(binding: ToolBinding, model: ToolModel, score: float) -> SearchHit:
    """A found tool, as the catalog would show it."""
    return SearchHit(
        name=binding.path,
        signature=binding.path + model.call,
        summary=summary(model.spec.description, 160),
        score=round(score, 4),
    )


def describe_tool(binding: ToolBinding, model: ToolModel) -> str:
    """The full documentation: signature, description, parameters, result, example, schema."""
    spec = model.spec
    schema, _ = own_copy(spec.parameters)
    parts = [binding.path + model.call_within(FULL, FULL)]
    if binding.label != binding.path.rpartition(".")[2]:
        parts.append(f"Exact name: tools[{literal(folded(binding.label, 200))}](...)")
    if spec.description.strip():
        parts.append(documentation(spec.description))
    lines = _parameter_lines(model, schema)
    if lines:
        parts.append("Parameters:\n" + "\n".join(lines))
    parts.append(f"Example: {example_call(binding, model)}")
    parts.append(f"Schema of the arguments: {_json(schema, MAX_SCHEMA)}")
    if spec.output_schema is not None:
        parts.append(f"Schema of the result: {_json(own_copy(spec.output_schema)[0], MAX_SCHEMA)}")
    return "\n\n".join(parts)


def explain_tool(binding: ToolBinding, model: ToolModel) -> Explanation:
    """Wire name, Python name, schema, both renderings, degraded nodes."""
    spec = model.spec
    degraded = [f"{note.pointer or '/'}: {note.reason}" for note in model.notes]
    degraded.extend(compile_schema(spec.parameters, lenient=True).degraded)
    if spec.output_schema is not None:
        output = compile_schema(spec.output_schema, lenient=True).degraded
        degraded.extend(f"output{reason}" for reason in output)
    return Explanation(
        wire=binding.label,
        python=binding.path,
        aliases=binding.aliases,
        parameters={parameter.key: parameter.name for parameter in binding.parameters},
        schema=own_copy(spec.parameters)[0],
        output_schema=None if spec.output_schema is None else own_copy(spec.output_schema)[0],
        compact=binding.path + model.call,
        stub=method_text(binding, model),
        degraded=tuple(dict.fromkeys(degraded)),
    )


def _parameter_lines(model: ToolModel, schema: Mapping[str, object]) -> list[str]:
    properties = object_of(schema.get("properties"))
    lines: list[str] = []
    for parameter, field in model.parameters:
        facts = object_of(properties.get(parameter.key))
        head = f"  {parameter.name}{'' if parameter.required else '?'}"
        if parameter.name != parameter.key:
            head += f" (exact key {literal(folded(parameter.key, 80))})"
        lines.append(f"{head}: {notation(field.shape, model.definitions, FULL)}{_facts(facts)}")
    return lines


def _facts(node: Mapping[str, object]) -> str:
    facts: list[str] = []
    description = node.get("description")
    if isinstance(description, str) and description.strip():
        facts.append(folded(description, 600))
    for word, sign in _BOUNDS:
        if word in node:
            facts.append(f"{sign} {folded(str(node[word]), 120)}")
    if node.get("default") is not None:
        facts.append(f"default {folded(_json(node['default'], 200), 200)}")
    return "  # " + "; ".join(facts) if facts else ""


def _json(value: object, limit: int) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return "(not JSON)"
    text = inert(text)
    return (
        text
        if len(text) <= limit
        else f"{text[:limit]}\u2026 [{len(text) - limit} more characters]"
    )
