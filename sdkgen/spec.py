"""The generator's vocabulary: the tools that go in, and the bindings that come out.

Data only. Pure; imports nothing of the other parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: A JSON Schema as parsed: an object, or (in nested places) a boolean.
Schema = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as its source declares it. Nothing in it is trusted.

    Attributes:
        name: The exact wire name; any text.
        description: For the model; untrusted text.
        parameters: JSON Schema of the arguments object.
        output_schema: JSON Schema of the result; None means that any JSON may come back.
        group: MCP server or host group; None for native tools.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    output_schema: Mapping[str, object] | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterName:
    """One parameter, as calls are mapped and checked.

    Attributes:
        key: The exact key in the arguments object, such as `from`.
        name: What a program may write, such as `from_`; `key` is accepted too.
        required: The call is invalid without it.
        is_object: The schema allows an object, so one positional dict is this parameter's value.
    """

    key: str
    name: str
    required: bool = False
    is_object: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBinding:
    """A tool under the names that a program uses.

    Attributes:
        path: The dotted Python path, such as `tools.github.create_issue`; unique, and the key.
        aliases: Further paths that mean the same tool.
        label: The exact wire name, for `tools["exact-name"]`.
        parameters: In positional order, required ones first.
        is_closed: The schema refuses undeclared arguments.
        doc: Signature and documentation, shown by `help()`.
    """

    spec: ToolSpec
    path: str
    aliases: tuple[str, ...] = ()
    label: str
    parameters: tuple[ParameterName, ...] = ()
    is_closed: bool = False
    doc: str = ""
