"""Dotted names of bindings as objects: `tools.github.search(...)`, `tools["exact name"](...)`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, NoReturn

from codemode.sandbox.bridge.messages import WireBinding
from codemode.sandbox.guest.bindings import Caller, Tool, make_tool
from codemode.sandbox.marks import override

_SHOWN: Final = 200


class Namespace:
    """A group of bindings, which are its only attributes. Only `make_namespace` makes one."""

    def __getattr__(self, name: str) -> Any:
        # Without the object, or the interpreter offers a name too.
        raise AttributeError(self._missing(name), name=name, obj=None)

    @override
    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{_about(self).path} is read-only")

    @override
    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{_about(self).path} is read-only")

    def __getitem__(self, label: str) -> Any:
        found = _about(self).labels.get(label) or vars(self).get(label)
        if found is None:
            raise KeyError(self._missing(label))
        return found

    def __contains__(self, label: object) -> bool:
        return label in _about(self).labels or label in vars(self)

    def __iter__(self) -> Iterator[str]:
        return iter(_members(self))

    def __len__(self) -> int:
        return len(_members(self))

    @override
    def __dir__(self) -> list[str]:
        return sorted(_members(self))

    def _missing(self, name: object) -> str:
        members = sorted(_members(self))
        near = difflib.get_close_matches(str(name), members, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has: {', '.join(members[:20])}"
        return f"{_about(self).path} has no {str(name)[:100]!r}; {hint}"

    @override
    def __repr__(self) -> str:
        members = sorted(_members(self).items())
        lines = [
            f"  {name}: {len(member)} functions"
            if isinstance(member, Namespace)
            else f"  {member!r:.200}"
            for name, member in members[:_SHOWN]
        ]
        if len(members) > _SHOWN:
            lines.append(f"  ... and {len(members) - _SHOWN} more")
        return "\n".join((f"<{_about(self).path}: {len(members)} names", *lines)) + ">"

    def __copy__(self) -> Namespace:
        return self

    def __deepcopy__(self, _: object) -> Namespace:
        return self


class _About(NamedTuple):
    """What a namespace is.

    Attributes:
        space: Itself, which must not give its identity to another object.
    """

    path: str
    labels: dict[str, Any]
    space: Namespace


#: Beside each namespace: any name may be a member's.
_ABOUT: Final[dict[int, _About]] = {}


def _about(space: Namespace) -> _About:
    """What `space` is.

    Raises:
        TypeError: It is none that `make_namespace` has made.
    """
    found = _ABOUT.get(id(space))
    if found is None:
        raise TypeError("it is no group of functions")
    return found


def _members(space: Namespace) -> dict[str, Any]:
    return vars(_about(space).space)


def paths_of(name: str) -> list[str]:
    """How the program calls the functions that have this last name."""
    return [
        f"{about.path}.{name}"
        for about in _ABOUT.values()
        if type(vars(about.space).get(name)) is Tool
    ]


def make_namespace(path: str) -> Namespace:
    """An empty group at `path`; its members go into `vars` of it."""
    space = Namespace()
    _ABOUT[id(space)] = _About(path, {}, space)
    return space


def bind(rows: Iterable[WireBinding], caller: Caller) -> dict[str, Any]:
    """The global names of a program: functions and namespaces.

    Preconditions: the host has checked the names; no path is both a function and a namespace.
    """
    _ABOUT.clear()  # of those of a rehearsal
    names: dict[str, Any] = {}
    homes: dict[str, _Home] = {"": _Home(names, {}, {})}
    for path, label, aliases, is_hidden, signature in rows:
        tool = make_tool(caller, path, signature, label)
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
    space = outer.members[name] = make_namespace(folder)
    labels = _about(space).labels
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
