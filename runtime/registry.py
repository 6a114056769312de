"""The index of tools: registrations, aliases, the transport, and who wants to know of a change.

Registration is atomic: whatever is refused, or thrown by a listener, leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from codemode.runtime.cancellation import Disposer
from codemode.runtime.contract import Contract, compile_contract
from codemode.runtime.definition import RUN_CODE, Tool
from codemode.runtime.errors import DefinitionError, ScopeError
from codemode.runtime.execution import Mode
from codemode.runtime.scope import Scope


class Registry:
    """All registrations of one runtime.

    Args:
        mode: The mode of scopes that declare none.
    """

    def __init__(self, *, mode: Mode = "native") -> None:
        self.mode: Final = mode
        #: Bumped at every change; views and hook lists are cached under it.
        self.version = 0
        #: Old name -> canonical name; never chased.
        self.aliases: Final[dict[str, str]] = {}
        self.transport_contract: Contract | None = None
        self._alias_holders: dict[str, int] = {}
        self._name_holders: dict[str, int] = {}
        self._listeners: list[list[Callable[[], None]]] = []
        self.root: Final = Scope(self, "root", None)

    @property
    def transport(self) -> Tool | None:
        """The `run_code` tool, which lies outside the registration layers."""
        return None if self.transport_contract is None else self.transport_contract.tool

    def scope(self, name: str, parent: Scope | None = None) -> Scope:
        """A new scope below `parent`, or below the root.

        Raises:
            ScopeError: The parent belongs to another registry.
        """
        if parent is not None and parent.registry is not self:
            raise ScopeError(f"{parent!r} belongs to another registry")
        return Scope(self, name, parent or self.root)

    def register(self, tool: Tool, scope: Scope | None = None) -> Disposer:
        """Register `tool` globally, or for `scope` and its descendants.

        Returns:
            A function that takes the registration back; calling it again does nothing.

        Raises:
            DefinitionError: Every fault of the definition, or a name that is taken.
        """
        given: Any = tool
        if not isinstance(given, Tool):
            name = str(getattr(given, "__name__", type(given).__name__))
            advice = "make a tool of it: tool(...)" if callable(given) else "give a Tool"
            raise DefinitionError(name, (f"it is a {type(given).__name__}; {advice}",))
        layer = self.root if scope is None else scope
        if layer.registry is not self:
            raise ScopeError(f"{layer!r} belongs to another registry")
        faults: list[str] = []
        try:
            contract = compile_contract(tool)
        except DefinitionError as error:
            faults.extend(error.faults)
            contract = None
        faults.extend(self._name_faults(tool, layer))
        if contract is None or faults:
            raise DefinitionError(str(tool.name), tuple(faults))
        self._hold(tool, +1)
        layer.own[tool.name] = contract
        dispose = self._disposer(contract, layer)
        try:
            self.changed()
        except BaseException:
            self._withdraw(contract, layer)
            self.version += 1
            raise
        return dispose

    def alias(self, old: str, name: str) -> Disposer:
        """Let `old` stand for `name` (a canonical name, present or not): one hop, never chased.

        Raises:
            ScopeError: `old` is a tool's name, reserved, or stands for something else already.
        """
        if fault := self._alias_fault(old, name):
            raise ScopeError(fault)
        self._hold_alias(old, name, +1)
        self.changed()
        is_live = True

        def dispose() -> None:
            nonlocal is_live
            if is_live:
                is_live = False
                self._hold_alias(old, name, -1)
                self.changed()

        return dispose

    def mount_transport(self, tool: Tool) -> Disposer:
        """Set the `run_code` tool; for Code Mode itself.

        Raises:
            ScopeError: One is mounted already, or the name is another one.
        """
        if tool.name != RUN_CODE:
            raise ScopeError(f"the transport is named {RUN_CODE!r}, not {tool.name!r}")
        if self.transport_contract is not None:
            raise ScopeError("a transport is mounted already")
        self.transport_contract = compile_contract(tool, is_transport=True)
        self.changed()

        def dispose() -> None:
            if self.transport is tool:
                self.transport_contract = None
                self.changed()

        return dispose

    def degraded(self) -> Mapping[str, tuple[str, ...]]:
        """Schema nodes that became any JSON, by tool of the root layer."""
        return {
            name: contract.degraded
            for name, contract in sorted(self.root.own.items())
            if contract.degraded
        }

    def on_change(self, listener: Callable[[], None]) -> Disposer:
        """Call `listener` after every change; a throw during a registration rolls that back."""
        entry = [listener]
        self._listeners.append(entry)

        def dispose() -> None:
            self._listeners = [other for other in self._listeners if other is not entry]

        return dispose

    def changed(self) -> None:
        """Make views stale and tell the listeners."""
        self.version += 1
        for (listener,) in tuple(self._listeners):
            listener()

    # --- names ----------------------------------------------------------------------------------

    def _name_faults(self, tool: Tool, layer: Scope) -> list[str]:
        found: list[str] = []
        if tool.name in layer.own:
            found.append(
                f"{layer!r} has a tool of that name already; to shadow it for some callers,"
                f" register this one on a scope: registry.scope(...).register(tool)"
            )
        if tool.name in self.aliases:
            found.append(f"the name is an alias of {self.aliases[tool.name]!r}")
        for old in tool.aliases:
            if old == tool.name:
                found.append(f"the alias {old!r} is the tool's own name")
            elif fault := self._alias_fault(old, tool.name):
                found.append(fault)
        return found

    def _alias_fault(self, old: str, name: str) -> str:
        if old == RUN_CODE or name == RUN_CODE:
            return f"the name {RUN_CODE!r} is reserved for the transport"
        if old in self._name_holders:
            return f"the alias {old!r} is another tool's name"
        if self.aliases.get(old, name) != name:
            return f"the alias {old!r} stands for {self.aliases[old]!r} already"
        return ""

    def _hold(self, tool: Tool, change: int) -> None:
        _count(self._name_holders, tool.name, change)
        for old in tool.aliases:
            self._hold_alias(old, tool.name, change)

    def _hold_alias(self, old: str, name: str, change: int) -> None:
        if _count(self._alias_holders, old, change):
            self.aliases[old] = name
        else:
            self.aliases.pop(old, None)

    def _disposer(self, contract: Contract, layer: Scope) -> Disposer:
        def dispose() -> None:
            if layer.own.get(contract.tool.name) is contract:
                self._withdraw(contract, layer)
                self.changed()

        return dispose

    def _withdraw(self, contract: Contract, layer: Scope) -> None:
        del layer.own[contract.tool.name]
        self._hold(contract.tool, -1)


def _count(holders: dict[str, int], name: str, change: int) -> int:
    """Change how many hold `name`, forgetting it at zero."""
    number = holders.get(name, 0) + change
    if number:
        holders[name] = number
    else:
        holders.pop(name, None)
    return number
