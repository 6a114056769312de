"""Views of scopes against a small model that is written from the rules alone (PIPELINE 4.1)."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
)

from codemode.runtime.definition import Tool
from codemode.runtime.errors import DefinitionError, ScopeError
from codemode.runtime.registry import Registry
from codemode.runtime.scope import Scope

NAMES = st.sampled_from(["a", "b", "c", "d"])


def nothing() -> object:
    """What a rule gives that adds nothing to its bundle."""
    none: MultipleResults[object] = multiple()
    return none


class Node:
    """The model of a scope: what was registered, and which masks are on."""

    def __init__(self, scope: Scope, parent: Node | None) -> None:
        self.scope = scope
        self.parent = parent
        self.own: dict[str, Tool] = {}
        self.masks: list[tuple[set[str] | None, set[str]]] = []

    def line(self) -> list[Node]:
        return [*(self.parent.line() if self.parent else []), self]

    def expected(self) -> dict[str, Tool]:
        *ancestors, exact = self.line()
        seen = {name: tool for node in ancestors for name, tool in node.own.items()}
        for node in self.line():
            for allow, deny in node.masks:
                seen = {
                    name: tool
                    for name, tool in seen.items()
                    if (allow is None or name in allow) and name not in deny
                }
        return {**seen, **exact.own}


class Scopes(RuleBasedStateMachine):
    """Random registrations, disposals and masks; after each step every view equals the model's."""

    nodes: Bundle[Node] = Bundle("nodes")
    undos = Bundle("undos")

    def __init__(self) -> None:
        super().__init__()
        self.registry = Registry()
        self.all = [Node(self.registry.root, None)]

    @rule(target=nodes, at=st.integers(0, 7))
    def new_scope(self, at: int) -> Node:
        parent = self.all[at % len(self.all)]
        node = Node(self.registry.scope(f"s{len(self.all)}", parent.scope), parent)
        self.all.append(node)
        return node

    @rule(target=undos, at=st.integers(0, 7), name=NAMES)
    def register(self, at: int, name: str) -> object:
        node = self.all[at % len(self.all)]
        tool = Tool.raw(name, "", {"type": "object"}, lambda a, r: None)
        if name in node.own:
            with pytest.raises(DefinitionError):
                node.scope.register(tool)
            return nothing()
        dispose = node.scope.register(tool)
        node.own[name] = tool

        def undo() -> None:
            dispose()
            if node.own.get(name) is tool:
                del node.own[name]

        return undo

    @rule(
        target=undos,
        node=nodes,
        allow=st.none() | st.sets(NAMES, max_size=3),
        deny=st.sets(NAMES, max_size=2),
    )
    def restrict(self, node: Node, allow: set[str] | None, deny: set[str]) -> object:
        known = {name for ancestor in node.line()[:-1] for name in ancestor.own}
        named = (allow or set()) | deny
        if not named or not named <= known or named & node.own.keys():
            with pytest.raises(ScopeError):
                node.scope.restrict(allow=allow, deny=deny)
            return nothing()
        lift = node.scope.restrict(allow=allow, deny=deny)
        mask = (None if allow is None else set(allow), set(deny))
        node.masks.append(mask)

        def undo() -> None:
            lift()
            node.masks[:] = [other for other in node.masks if other is not mask]

        return undo

    @rule(undo=undos)
    def dispose(self, undo: object) -> None:
        assert callable(undo)
        undo()

    @invariant()
    def every_view_equals_the_model(self) -> None:
        for node in self.all:
            view = node.scope.view()
            assert dict(view) == node.expected()
            assert list(view) == sorted(view)


TestScopes = pytest.mark.spec("PIPELINE 4.1", "PIPELINE 4.2", "PIPELINE 4.3")(Scopes.TestCase)
TestScopes.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
