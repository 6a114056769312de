"""Dotted names of bindings as objects: `tools.github.search(...)`, `tools["exact name"](...)`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from codemode.sandbox.bridge.messages import WireBinding
from codemode.sandbox.guest.bindings import Caller, Tool
from codemode.sandbox.marks import override

_SHOWN: Final = 200


class Namespace:
    """A group of bindings, which are its only public attributes."""

    def __init__(self, path: str) -> None:
        _SECRETS[id(self)] = (path, {})

    def __getattr__(self, name: str) -> Any:
        # Without the object, or the interpreter offers a name too.
        raise AttributeError(self._missing(name), name=name, obj=None)

    def __getitem__(self, label: str) -> Any:
        found = _SECRETS[id(self)][1].get(label) or vars(self).get(label)
        if found is None:
            raise KeyError(self._missing(label))
        return found

    def __contains__(self, label: object) -> bool:
        return label in _SECRETS[id(self)][1] or label in vars(self)

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self))

    def __len__(self) -> int:
        return len(vars(self))

    @override
    def __dir__(self) -> list[str]:
        return sorted(vars(self))

    def _missing(self, name: object) -> str:
        members = sorted(vars(self))
        near = difflib.get_close_matches(str(name), members, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has: {', '.join(members[:20])}"
        return f"{_SECRETS[id(self)][0]} has no {str(name)[:100]!r}; {hint}"

    @override
    def __repr__(self) -> str:
        members = sorted(vars(self).items())
        lines = [
            f"  {name}: {len(member)} functions"
            if isinstance(member, Namespace)
            else f"  {member!r:.200}"
            for name, member in members[:_SHOWN]
        ]
        if len(members) > _SHOWN:
            lines.append(f"  ... and {len(members) - _SHOWN} more")
        return "\n".join((f"<{_SECRETS[id(self)][0]}: {len(members)} names", *lines)) + ">"


#: Path and labels of each namespace, beside it: any name may be a member's.
_SECRETS: Final[dict[int, tuple[str, dict[str, Any]]]] = {}


def bind(rows: Iterable[WireBinding], caller: Caller) -> dict[str, Any]:
    """The global names of a program: functions and namespaces.

    Preconditions: the host has checked the names; no path is both a function and a namespace.
    """
    names: dict[str, Any] = {}
    homes: dict[str, _Home] = {"": _Home(names, {}, {})}
    for path, label, aliases, is_hidden, signature in rows:
        tool = Tool(caller, path, signature, label)
        for dotted in (path, *aliases):
            folder, _, name = dotted.rpartition(".")
            home = homes.get(folder) or _make_home(homes, folder)
            if not is_hidden or not folder:
                home.members[name] = tool
            if label and folder:
                home.labels.setdefault(label, tool)
                if home.root is not home.labels:
                    home.root.setdefault(label, tool)
    return names


class _Home(NamedTuple):
    """Where names live: a namespace, or the globals, which have no labels.

    Attributes:
        root: Labels of the outermost namespace.
    """

    members: dict[str, Any]
    labels: dict[str, Any]
    root: dict[str, Any]


def _make_home(homes: dict[str, _Home], folder: str) -> _Home:
    """The namespace at `folder`, made with all that it lies in."""
    above, _, name = folder.rpartition(".")
    outer = homes.get(above) or _make_home(homes, above)
    space = outer.members[name] = Namespace(folder)
    labels = _SECRETS[id(space)][1]
    made = homes[folder] = _Home(vars(space), labels, outer.root if above else labels)
    return made


def importable(names: Mapping[str, Any]) -> dict[str, Any]:
    """Every namespace by its dotted path, as `import` names it."""
    found: dict[str, Any] = {}
    todo = list(names.items())
    while todo:
        path, item = todo.pop()
        if isinstance(item, Namespace):
            found[path] = item
            todo.extend((f"{path}.{name}", member) for name, member in vars(item).items())
    return found


def program_help(subject: Any = None, /) -> None:
    """Print what is known about a function or a namespace."""
    if subject is None:
        print("help(x) shows how x is used, such as help(tools) or help(tools.name).")  # noqa: T201
    elif isinstance(subject, Tool):
        print(subject.usage().removeprefix("Call it as "))  # noqa: T201
        if subject.__doc__:
            print(f"\n{subject.__doc__}")  # noqa: T201
    elif isinstance(subject, Namespace):
        print(repr(subject))  # noqa: T201
    else:
        doc = getattr(subject, "__doc__", None) or "no documentation"
        print(f"{getattr(subject, '__name__', type(subject).__name__)}\n\n{doc}")  # noqa: T201
