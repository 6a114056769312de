"""Scopes and views: who may see which tool.

One view serves `get`, the wire list, the catalog and dispatch. Visibility is live and is no
authority boundary: guards and permissions are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, overload

from typing_extensions import override

from codemode.runtime.cancellation import Disposer
from codemode.runtime.contract import Contract
from codemode.runtime.definition import RUN_CODE, Tool
from codemode.runtime.errors import ScopeError
from codemode.runtime.execution import Mode
from codemode.runtime.policy import (
    Guard,
    HookKind,
    IntentSubscriber,
    Observer,
    PostPolicy,
    PrePolicy,
    Wrapper,
)

if TYPE_CHECKING:
    from codemode.runtime.loop.batch import BatchObserver
    from codemode.runtime.registry import Registry

MODES: Final[tuple[Mode, ...]] = ("native", "code", "both")
_KINDS: Final[tuple[HookKind, ...]] = get_args(HookKind)


class View(Mapping[str, Tool]):
    """The tools that one scope sees, by canonical name, in order of name.

    A snapshot: ask the scope again after a change. Includes `run_code` when the mode needs it.
    """

    def __init__(
        self,
        contracts: Mapping[str, Contract],
        aliases: Mapping[str, str],
        transport: Contract | None,
    ) -> None:
        visible = dict(sorted(contracts.items()))
        if transport is not None:
            visible[RUN_CODE] = transport
        self._contracts: Final = visible
        self._aliases: Final = {old: name for old, name in aliases.items() if name in visible}

    @override
    def __getitem__(self, name: str) -> Tool:
        return self._contracts[name].tool

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._contracts)

    @override
    def __len__(self) -> int:
        return len(self._contracts)

    def canonical(self, name: str) -> str:
        """The name that `name` stands for: one hop, and a real name is its own."""
        return name if name in self._contracts else self._aliases.get(name, name)

    def resolve(self, name: str) -> Tool | None:
        """The visible tool of that name or alias."""
        contract = self.contract(name)
        return None if contract is None else contract.tool

    def contract(self, name: str) -> Contract | None:
        """The same, with what was compiled from it."""
        return self._contracts.get(name) or self._contracts.get(self._aliases.get(name, ""))

    def native(self) -> tuple[Tool, ...]:
        """What a native wire list holds: advertised tools that are not pinned to code."""
        return tuple(
            tool
            for name, tool in self.items()
            if tool.advertised and tool.pin != "code" and name != RUN_CODE
        )

    def bindings(self) -> tuple[Tool, ...]:
        """What a program may call: everything but `run_code` and tools pinned to native.

        Unadvertised tools are among them: a program reaches those by `tools["name"]` only.
        """
        return tuple(
            tool for name, tool in self.items() if tool.pin != "native" and name != RUN_CODE
        )

    def unpublished(self) -> dict[str, str]:
        """What a program may call by exact name only, each with the canonical name it stands for.

        Unadvertised tools, and old names: a program written from history goes on working.
        """
        callable_names = {tool.name: tool for tool in self.bindings()}
        names = {name: name for name, tool in callable_names.items() if not tool.advertised}
        names.update(
            (old, name)
            for old, name in self._aliases.items()
            if name in callable_names and old not in self._contracts
        )
        return names

    def advertised_names(self) -> tuple[str, ...]:
        """Names that a message may mention."""
        return tuple(name for name, tool in self.items() if tool.advertised)


class _Restriction:
    """One filter of a scope; compared by identity, so that each lifts alone."""

    __slots__ = ("allow", "deny")

    def __init__(self, allow: frozenset[str] | None, deny: frozenset[str]) -> None:
        self.allow = allow
        self.deny = deny

    def admits(self, name: str) -> bool:
        return (self.allow is None or name in self.allow) and name not in self.deny


class Scope:
    """One node of the tree of scopes; made by `Registry.scope`."""

    def __init__(self, registry: Registry, name: str, parent: Scope | None) -> None:
        self.name: Final = name
        self.parent: Final = parent
        self.registry: Final = registry
        #: From the root to this scope.
        self.chain: Final[tuple[Scope, ...]] = (*(parent.chain if parent else ()), self)
        self.own: Final[dict[str, Contract]] = {}
        self._restrictions: list[_Restriction] = []
        self._mode: Mode | None = None
        self._hooks: dict[HookKind, list[Any]] = {}
        self._hook_cache: dict[HookKind, tuple[int, tuple[Any, ...]]] = {}
        self._view: tuple[int, View] | None = None

    @override
    def __repr__(self) -> str:
        return f"<Scope {'/'.join(scope.name for scope in self.chain)}>"

    def register(self, tool: Tool) -> Disposer:
        """Register `tool` for this scope and its descendants. See `Registry.register`."""
        return self.registry.register(tool, self)

    # --- restrictions ---------------------------------------------------------------------------

    def restrict(
        self, *, allow: Iterable[str] | None = None, deny: Iterable[str] | None = None
    ) -> Disposer:
        """Narrow what this scope and its descendants inherit; copied here, and lifted alone.

        A deny mask admits tools that are registered later, an allow mask excludes them.

        Raises:
            ScopeError: An empty filter, an unknown name, a tool of this scope's own, `run_code`, or
                the root scope.
        """
        if self.parent is None:
            raise ScopeError(
                "the root cannot be restricted: make a scope with registry.scope(name)"
            )
        if isinstance(allow, str) or isinstance(deny, str):
            raise ScopeError("allow and deny take a list of names, not one text")
        allowed = None if allow is None else frozenset(map(self._inherited_name, allow))
        denied = frozenset(map(self._inherited_name, deny or ()))
        if not allowed and not denied:
            raise ScopeError(f"restrict() of {self!r} needs a name in allow or deny")
        restriction = _Restriction(allowed, denied)
        self._restrictions.append(restriction)
        self.registry.changed()

        def lift() -> None:
            if restriction in self._restrictions:
                self._restrictions.remove(restriction)
                self.registry.changed()

        return lift

    def _inherited_name(self, name: str) -> str:
        name = self.registry.aliases.get(name, name)
        if name == RUN_CODE:
            raise ScopeError(
                f"{RUN_CODE!r} cannot be restricted: change the mode with present_as()"
            )
        if name in self.own:
            raise ScopeError(
                f"{name!r} is a tool of {self!r} itself; dispose its registration instead"
            )
        if not any(name in scope.own for scope in self.chain[:-1]):
            raise ScopeError(f"{self!r} inherits no tool named {name!r}")
        return name

    # --- modes ----------------------------------------------------------------------------------

    @property
    def mode(self) -> Mode:
        """The nearest declaration on the chain, else the runtime's default."""
        for scope in reversed(self.chain):
            if scope._mode is not None:
                return scope._mode
        return self.registry.mode

    def present_as(self, mode: Mode) -> Disposer:
        """Declare the mode of this scope and its descendants; disposing restores.

        Raises:
            ScopeError: An unknown mode, or this scope has a declaration already.
        """
        if mode not in MODES:
            raise ScopeError(f"unknown mode {mode!r}; known are {', '.join(MODES)}")
        if self._mode is not None:
            raise ScopeError(f"{self!r} is presented as {self._mode!r} already; dispose that first")
        self._mode = mode
        self.registry.changed()
        is_live = True

        def restore() -> None:
            nonlocal is_live
            if is_live:
                is_live = False
                self._mode = None
                self.registry.changed()

        return restore

    # --- views ----------------------------------------------------------------------------------

    def view(self) -> View:
        """What this scope sees now."""
        version = self.registry.version
        if self._view is None or self._view[0] != version:
            self._view = (version, self._build())
        return self._view[1]

    def _build(self) -> View:
        inherited: dict[str, Contract] = {}
        for scope in self.chain[:-1]:
            inherited.update(scope.own)
        masks = [mask for scope in self.chain for mask in scope._restrictions]
        seen = {
            name: contract
            for name, contract in inherited.items()
            if all(mask.admits(name) for mask in masks)
        }
        seen.update(self.own)
        transport = None if self.mode == "native" else self.registry.transport_contract
        return View(seen, self.registry.aliases, transport)

    # --- hooks ----------------------------------------------------------------------------------

    @overload
    def add(self, kind: Literal["pre"], hook: PrePolicy) -> Disposer: ...
    @overload
    def add(self, kind: Literal["guard"], hook: Guard) -> Disposer: ...
    @overload
    def add(self, kind: Literal["wrapper"], hook: Wrapper) -> Disposer: ...
    @overload
    def add(self, kind: Literal["post"], hook: PostPolicy) -> Disposer: ...
    @overload
    def add(self, kind: Literal["observer"], hook: Observer) -> Disposer: ...
    @overload
    def add(self, kind: Literal["intent"], hook: IntentSubscriber) -> Disposer: ...
    @overload
    def add(self, kind: Literal["batch"], hook: BatchObserver) -> Disposer: ...
    def add(self, kind: HookKind, hook: Callable[..., Any]) -> Disposer:
        """Add a hook that sees the calls of this scope and its descendants.

        Raises:
            ScopeError: It is not callable, or there is no such kind of hook.
        """
        if kind not in _KINDS:
            raise ScopeError(f"there is no kind of hook {kind!r}; there are {', '.join(_KINDS)}")
        if not callable(hook):
            raise ScopeError(f"a {kind} hook must be callable, not {type(hook).__name__}")
        entry = [hook]
        self._hooks.setdefault(kind, []).append(entry)
        self.registry.changed()

        def remove() -> None:
            if any(entry is other for other in self._hooks[kind]):
                self._hooks[kind] = [other for other in self._hooks[kind] if other is not entry]
                self.registry.changed()

        return remove

    def hooks(self, kind: HookKind) -> tuple[Any, ...]:
        """The hooks in force for a call of this scope: the root's first, the nearest last."""
        version = self.registry.version
        cached = self._hook_cache.get(kind)
        if cached is None or cached[0] != version:
            found = tuple(hook for scope in self.chain for (hook,) in scope._hooks.get(kind, ()))
            cached = self._hook_cache[kind] = (version, found)
        return cached[1]
