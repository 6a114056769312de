"""Typed stubs of a whole tool set, as one `.pyi` text for type checkers.

The layout of the module: namespaces, groups, globals. A member that has the name of a builtin
qualifies it, so no tool or group can capture another's type. Pure; the text always parses.

Source: Python typing specification, "Distributing type information", stub files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from codemode.sdkgen.annotations import BUILTINS, Annotations, Classes, camel
from codemode.sdkgen.bindings import ROOT
from codemode.sdkgen.model import ToolModel
from codemode.sdkgen.names import RESERVED_GLOBALS
from codemode.sdkgen.spec import ToolBinding
from codemode.sdkgen.text import docstring

_HEADER: Final = '''\
"""The tools that a program may call. Generated; names with an underscore are for checkers only."""

import builtins as _builtins
from collections.abc import Callable as _Callable, Mapping as _Mapping, Sequence as _Sequence
from typing import (
    Any as _Any,
    Literal as _Literal,
    LiteralString as _LiteralString,
    NotRequired as _NotRequired,
    Required as _Required,
    TypeAlias as _TypeAlias,
    TypedDict as _TypedDict,
    overload as _overload,
)
from typing_extensions import deprecated as _deprecated

class ToolCallError(Exception):
    tool_name: str
    message: str
    code: str

class _Catalog:
    def search(self, query: str, limit: int = ...) -> list[dict[str, _Any]]: ...
    def describe(self, name: str) -> str: ...

catalog: _Catalog
'''
_LOOKUPS: Final = {
    "search": (
        "    def search(self, query: _builtins.str, limit: _builtins.int = ...)"
        " -> _builtins.list[_builtins.dict[_builtins.str, _Any]]: ..."
    ),
    "describe": "    def describe(self, name: _builtins.str) -> _builtins.str: ...",
}
_IMPORTED: Final = re.compile(r"\b_[A-Za-z]\w*")


def render_stubs(
    bindings: Sequence[ToolBinding], models: Sequence[ToolModel], *, is_async: bool, is_strict: bool
) -> str:
    """One stub module.

    Args:
        bindings: What is callable, sorted.
        models: The models of `bindings`, in their order.
        is_async: Calls give awaitables, as they do inside coroutines; otherwise values.
        is_strict: Only declared keys of a result can be read; a computed key is refused too.
    """
    writer = _Module(is_async=is_async, is_strict=is_strict)
    return writer.render(bindings, models)


def method_text(binding: ToolBinding, model: ToolModel) -> str:
    """The stub of a single tool with the classes that it needs, for people."""
    writer = _Module()
    method = writer.method(binding.path.rsplit(".", 1)[1], model, frozenset())
    return "\n".join([*writer.classes.definitions, method])


class _Module:
    def __init__(self, *, is_async: bool = False, is_strict: bool = False) -> None:
        self.classes = Classes(_IMPORTED.findall(_HEADER), is_strict=is_strict)
        self._is_async = is_async

    def render(self, bindings: Sequence[ToolBinding], models: Sequence[ToolModel]) -> str:
        spaces: dict[str, list[tuple[ToolBinding, ToolModel]]] = {ROOT: []}
        for binding, model in zip(bindings, models, strict=True):
            spaces.setdefault(binding.path.rpartition(".")[0], []).append((binding, model))
        classes: list[str] = []
        globals_: list[str] = []
        bases: list[str] = []
        groups: list[str] = []
        for space, members in spaces.items():
            if space == ROOT:
                continue
            group = space.split(".")[1]
            # What is also `tools.<name>` comes from a base that the group and `tools` share.
            shared = [item for item in members if _is_shared(item[0])]
            rest = [item for item in members if not _is_shared(item[0])]
            base = ""
            if shared:
                base = f"_Shared_{group}"
                bases.append(base)
                classes.append(self._namespace(base, "", shared))
            classes.append(self._namespace(f"_Group_{group}", base, rest, is_indexed=True))
            groups.append(group)
            if group not in RESERVED_GLOBALS:
                globals_.append(f"{group}: _Group_{group}")
        classes.append(self._root(bases, groups, spaces[ROOT], bindings))
        globals_.append(f"{ROOT}: _Tools")
        return "\n".join([_HEADER, *self.classes.definitions, *classes, *globals_]) + "\n"

    def _root(
        self,
        bases: Sequence[str],
        groups: Sequence[str],
        members: Sequence[tuple[ToolBinding, ToolModel]],
        bindings: Sequence[ToolBinding],
    ) -> str:
        used = {
            name.split(".")[1]
            for b in bindings
            for name in (b.path, *b.aliases)
            if name.startswith("tools.")
        }
        # `tools.search` and `tools.describe` are lookups unless a tool has that name.
        attributes = [f"    {group}: _Group_{group}" for group in groups]
        lookups = [text for name, text in _LOOKUPS.items() if name not in used]
        body = self._namespace("_Tools", ", ".join(bases), members, is_indexed=True, also=groups)
        return "\n".join([body.rstrip("\n"), *attributes, *lookups, ""])

    def _namespace(
        self,
        name: str,
        base: str,
        members: Sequence[tuple[ToolBinding, ToolModel]],
        *,
        is_indexed: bool = False,
        also: Iterable[str] = (),
    ) -> str:
        own = {_last(binding) for binding, _ in members}
        shadowed = frozenset(own.union(also)) & BUILTINS
        lines = [f"class {name}{f'({base})' if base else ''}:"]
        lines.extend(self.method(_last(binding), model, shadowed) for binding, model in members)
        if is_indexed:
            lines.append(
                "    def __getitem__(self, name: _builtins.str, /) -> _Callable[..., _Any]: ..."
            )
        return "\n".join([*lines, ""])

    def method(self, name: str, model: ToolModel, shadowed: frozenset[str]) -> str:
        """One tool as a method of its namespace."""
        self.classes.next_tool()
        hint = camel(name)
        inputs = Annotations(self.classes, "input", model.definitions, shadowed)
        taken = {parameter.name for parameter, _ in model.parameters}
        this = "self"
        while this in taken:
            this = f"_{this}"
        parts = [this] if this == "self" else [this, "/"]
        for parameter, field in model.parameters:
            annotation = inputs.of(field.shape, hint + camel(parameter.name))
            parts.append(f"{parameter.name}: {annotation}{'' if parameter.required else ' = ...'}")
        outputs = Annotations(self.classes, "output", model.output_definitions, shadowed)
        result = outputs.of(model.output, f"{hint}Result")
        keyword = "async def" if self._is_async else "def"
        head = f"    {keyword} {name}({', '.join(parts)}) -> {result}:"
        text = model.spec.description
        return f"{head}\n{docstring(text, ' ' * 8)}\n        ..." if text.strip() else f"{head} ..."


def _is_shared(binding: ToolBinding) -> bool:
    return f"{ROOT}.{_last(binding)}" in binding.aliases


def _last(binding: ToolBinding) -> str:
    return binding.path.rsplit(".", 1)[1]
