"""Where every tool stands in a program: namespaces, paths, aliases. Pure; any order, one result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from codemode.sdkgen.model import ToolModel
from codemode.sdkgen.names import RESERVED_GLOBALS, assign
from codemode.sdkgen.spec import ToolSpec

ROOT: Final = "tools"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One tool's names in a program.

    Attributes:
        namespace: `tools` or `tools.<group>`.
        name: The attribute in the namespace.
        aliases: Further dotted paths.
    """

    namespace: str
    name: str
    aliases: tuple[str, ...]

    @property
    def path(self) -> str:
        """The dotted path, unique in its set."""
        return f"{self.namespace}.{self.name}"


def place(models: Sequence[ToolModel]) -> tuple[Place, ...]:
    """Give every tool its names.

    A group keeps its attribute of `tools` against native tools and unique names: `tools.<group>`
    always means the group.
    """
    groups = group_names(model.spec for model in models)
    members: dict[str | None, list[str]] = {}
    for model in models:
        members.setdefault(model.spec.group, []).append(model.spec.name)
    attributes = {
        group: assign(dict.fromkeys(names), reserved=groups.values() if group is None else ())
        for group, names in members.items()
    }
    uses = Counter(name for names in attributes.values() for name in names.values())
    taken = {*groups.values(), *attributes.get(None, {}).values()}
    used: set[str] = set()
    places: list[Place] = []
    for model in models:
        group, wire = model.spec.group, model.spec.name
        name = attributes[group][wire]
        namespace = ROOT if group is None else f"{ROOT}.{groups[group]}"
        if f"{namespace}.{name}" in used:
            # The very same name twice in one group: the later tool is still reachable.
            name = _another(name, {*attributes[group].values(), *used}, namespace)
        used.add(f"{namespace}.{name}")
        aliases: list[str] = []
        if group is not None:
            if groups[group] not in RESERVED_GLOBALS:
                aliases.append(f"{groups[group]}.{name}")
            if uses[name] == 1 and name not in taken:
                aliases.append(f"{ROOT}.{name}")
        places.append(Place(namespace=namespace, name=name, aliases=tuple(aliases)))
    return tuple(places)


def _another(name: str, taken: set[str], namespace: str) -> str:
    number = 2
    while not taken.isdisjoint((f"{name}_{number}", f"{namespace}.{name}_{number}")):
        number += 1
    return f"{name}_{number}"


def group_names(specs: Iterable[ToolSpec]) -> Mapping[str, str]:
    """Group -> its identifier."""
    groups = {spec.group for spec in specs if spec.group is not None}
    return assign(sorted(groups), fallback="group")
