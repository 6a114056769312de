"""The generated SDK of a set of tools: bindings, catalog, prompt, stubs, search, explanations.

Pure: the same set of tools gives the same bytes, in whatever order it is given. What is asked for
is made once and kept. Nothing here raises on any tool definition.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import cast

from typing_extensions import override

from codemode.sdkgen.beside import native_tokens, render_beside
from codemode.sdkgen.bindings import Place, place
from codemode.sdkgen.catalog import Entry, Level, render_catalog
from codemode.sdkgen.describe import (
    Explanation,
    NameRow,
    NameTable,
    SearchHit,
    binding_doc,
    describe_tool,
    explain_tool,
    search_hit,
)
from codemode.sdkgen.documents import digest, own_copy
from codemode.sdkgen.model import ToolModel, read_tool
from codemode.sdkgen.nearest import did_you_mean
from codemode.sdkgen.prompt import PromptMode, render_prompt
from codemode.sdkgen.search import Index, build_index
from codemode.sdkgen.spec import ToolBinding, ToolSpec
from codemode.sdkgen.stubs import render_stubs
from codemode.sdkgen.text import folded


class Sdk:
    """A set of tools as a Python SDK. Make it with `build_sdk`.

    Equal and hashed by content, so it can be a key of a cache.

    Attributes:
        bindings: Sorted by namespace and wire name.
        sha256: Digest of everything that the renderings depend on.
    """

    def __init__(
        self, bindings: tuple[ToolBinding, ...], models: tuple[ToolModel, ...], sha256: str
    ) -> None:
        self.bindings = bindings
        self.sha256 = sha256
        self._models = models
        self._texts: dict[tuple[object, ...], str] = {}

    @override
    def __eq__(self, other: object) -> bool:
        return self.sha256 == other.sha256 if isinstance(other, Sdk) else NotImplemented

    @override
    def __hash__(self) -> int:
        return hash(self.sha256)

    @override
    def __repr__(self) -> str:
        return f"<Sdk of {len(self.bindings)} tools, {self.sha256[:12]}>"

    def catalog(self, token_budget: int | None = None) -> str:
        """The compact lines, at the first level of detail that fits.

        Args:
            token_budget: Most tokens, estimated from above; None shows everything.
        """
        return self._catalog(token_budget)[0]

    def catalog_level(self, token_budget: int | None = None) -> Level:
        """The level of detail that `catalog` is at under a budget."""
        return self._catalog(token_budget)[1]

    def prompt(
        self,
        mode: PromptMode = "code",
        *,
        token_budget: int | None = None,
        is_listed: bool = True,
    ) -> str:
        """Usage rules, one example, and the catalog.

        Args:
            mode: "code": only `run_code` can be called; "both": native calls work too.
            token_budget: For the catalog alone.
            is_listed: In "both": the native list has every tool, and what stands there is left out
                as far as the text would be longer than 22 % of it.
        """
        key = ("prompt", mode, token_budget, is_listed)
        if key not in self._texts:

            def whole(catalog: str) -> str:
                return render_prompt(mode, catalog, self.bindings, self._models)

            catalog = self.catalog(token_budget)
            self._texts[key] = (
                render_beside(
                    self._entries,
                    whole=whole,
                    catalog=catalog,
                    native=native_tokens(binding.spec for binding in self.bindings),
                    catalog_tokens=token_budget,
                )
                if mode == "both" and is_listed
                else whole(catalog)
            )
        return self._texts[key]

    def stubs(self, *, is_async: bool = False, is_strict: bool = False) -> str:
        """One `.pyi` text: `tools`, the groups, `catalog`, `ToolCallError`.

        Args:
            is_async: Calls give awaitables, as inside coroutines; otherwise values.
            is_strict: Reading an undeclared or computed key of a result is an error; otherwise only
                a written-out undeclared key is marked, as deprecated.
        """
        key = ("stubs", is_async, is_strict)
        if key not in self._texts:
            self._texts[key] = render_stubs(
                self.bindings, self._models, is_async=is_async, is_strict=is_strict
            )
        return self._texts[key]

    def names(self) -> NameTable:
        """The table of wire names and Python names."""
        rows = (
            NameRow(
                group=binding.spec.group,
                wire=binding.label,
                path=binding.path,
                aliases=binding.aliases,
                parameters={p.key: p.name for p in binding.parameters if p.key != p.name},
            )
            for binding in self.bindings
        )
        return NameTable(rows=tuple(rows))

    def search(self, query: str, limit: int = 10) -> list[SearchHit]:
        """The tools that fit a query best, best first."""
        return [
            search_hit(self.bindings[at], self._models[at], score)
            for at, score in self._index.rank(query, limit)
        ]

    def describe(self, name: str) -> str:
        """The full documentation of one tool.

        Args:
            name: A path, an alias, or a wire name.

        Raises:
            LookupError: No tool has that name; the message names the nearest.
        """
        at = self._by_name.get(name.removesuffix("()"))
        if at is None:
            raise LookupError(self._unknown(name))
        key = ("describe", at)
        if key not in self._texts:
            self._texts[key] = describe_tool(self.bindings[at], self._models[at])
        return self._texts[key]

    def explain(self, name: str) -> Explanation:
        """Everything that was made of one tool, for people.

        Raises:
            LookupError: No tool has that name; the message names the nearest.
        """
        at = self._by_name.get(name)
        if at is None:
            raise LookupError(self._unknown(name))
        return explain_tool(self.bindings[at], self._models[at])

    def _catalog(self, token_budget: int | None) -> tuple[str, Level]:
        key = ("catalog", token_budget)
        if key not in self._texts:
            text, level = render_catalog(self._entries, token_budget)
            self._texts[key] = text
            self._texts["level", token_budget] = level.name
        return self._texts[key], Level[self._texts["level", token_budget]]

    def _unknown(self, name: str) -> str:
        shown = folded(name, 80)
        meant = did_you_mean(name.rpartition(".")[2], self._by_name)
        found = [meant] if meant else [hit.name for hit in self.search(name, 3)]
        hint = f"; did you mean {' or '.join(found)}?" if found else "."
        return f"no tool is named {shown!r}{hint} catalog.search(query) finds tools."

    @cached_property
    def _entries(self) -> list[Entry]:
        return [
            (binding.path.rpartition(".")[0], binding.path.rpartition(".")[2], model)
            for binding, model in zip(self.bindings, self._models, strict=True)
        ]

    @cached_property
    def _index(self) -> Index:
        return build_index([binding.spec for binding in self.bindings])

    @cached_property
    def _by_name(self) -> dict[str, int]:
        """Every name that means one tool: paths and aliases first, then wire names, unique ones."""
        found: dict[str, int] = {}
        for at, binding in enumerate(self.bindings):
            for name in (binding.path, *binding.aliases):
                found.setdefault(name, at)
        for at, binding in enumerate(self.bindings):
            for name in (
                binding.label,
                *(p.removeprefix("tools.") for p in (binding.path, *binding.aliases)),
            ):
                found.setdefault(name, at)
        return found


def build_sdk(tools: Sequence[ToolSpec]) -> Sdk:
    """Make the SDK of a set of tools.

    The order of `tools` does not matter. No definition makes it fail: what cannot be read degrades
    by itself, and `Sdk.explain` says what did.
    """
    texts = sorted((_sort_key(tool), at) for at, tool in enumerate(tools))
    models = tuple(read_tool(tools[at]) for _, at in texts)
    places = place(models)
    bindings = tuple(_bind(model, where) for model, where in zip(models, places, strict=True))
    content = "\n".join("\x00".join(key) for key, _ in texts)
    return Sdk(bindings, models, digest(content))


def _bind(model: ToolModel, where: Place) -> ToolBinding:
    return ToolBinding(
        spec=model.spec,
        path=where.path,
        aliases=where.aliases,
        label=model.spec.name,
        parameters=tuple(parameter for parameter, _ in model.parameters),
        is_closed=model.is_closed,
        doc=binding_doc(where.path, model),
    )


def _sort_key(tool: ToolSpec) -> tuple[str, str, str]:
    return tool.group or "", tool.name, _content(tool)


def _content(tool: ToolSpec) -> str:
    document: list[object] = [
        tool.group,
        tool.name,
        tool.description,
        tool.parameters,
        tool.output_schema,
    ]
    try:
        return json.dumps(document, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        document[3], document[4] = (
            own_copy(tool.parameters),
            own_copy(cast("object", tool.output_schema)),
        )
        return json.dumps(document, separators=(",", ":"))
