"""Which tools exist: a catalog is a function from the host's configuration to registrations.

Three filters of a host have names of their own. `select` says which tools exist at all; the `allow`
and `deny` rules of `permissions.py` say what may run. Selection is not permission. A tool is added
by adding an entry; nothing else branches on it. Pure: nothing is registered here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from codemode.runtime.definition import Tool
from codemode.runtime.errors import MisuseError

Configuration = TypeVar("Configuration")

#: All tools, none, or those of the given names.
Selection: TypeAlias = Literal["all", "none"] | Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(Generic[Configuration]):
    """One entry of a catalog.

    Attributes:
        make: The tools that the entry gives under a configuration; none when it does not apply.
        needs_person: They put questions to the person at the other end.
    """

    make: Callable[[Configuration], Iterable[Tool]]
    needs_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The situation that a runtime is assembled for.

    Attributes:
        has_person: Somebody is there to answer questions.
        select: Which of the tools exist.
    """

    name: str
    has_person: bool = True
    select: Selection = "all"


#: A person at the other end.
INTERACTIVE: Final = Profile(name="interactive")
#: A script or a scheduled task: no tool may wait for a person.
ONE_SHOT: Final = Profile(name="one-shot", has_person=False)


def managed(names: Iterable[str]) -> Profile:
    """An administrator's choice of tools, and nobody there to answer questions."""
    return Profile(name="managed", has_person=False, select=frozenset(names))


def assemble(
    entries: Iterable[Entry[Configuration]],
    configuration: Configuration,
    profile: Profile = INTERACTIVE,
) -> tuple[Tool, ...]:
    """The tools that exist under a configuration and a profile, in the catalog's order.

    Raises:
        MisuseError: The profile selects a name that no entry of the catalog gives.
    """
    made = [(tool, entry) for entry in entries for tool in entry.make(configuration)]
    asking = {tool.name for tool, entry in made if entry.needs_person}
    chosen = select((tool for tool, _ in made), profile.select)
    return tuple(tool for tool in chosen if profile.has_person or tool.name not in asking)


def select(tools: Iterable[Tool], selection: Selection) -> tuple[Tool, ...]:
    """Those of `tools` that the selection names, in their own order.

    Raises:
        MisuseError: It names a tool that is not among them, or is a text that is no keyword.
    """
    known = tuple(tools)
    if selection == "all":
        return known
    if selection == "none":
        return ()
    if isinstance(selection, str):
        raise MisuseError(f"select is 'all', 'none' or a list of names, not {selection!r}")
    names = frozenset(selection)
    if unknown := sorted(names - {tool.name for tool in known}):
        listed = ", ".join(sorted(tool.name for tool in known)) or "none"
        raise MisuseError(f"select names {', '.join(unknown)}; the tools are {listed}")
    return tuple(tool for tool in known if tool.name in names)
