"""The frozen view of one module: what `import` gives to a program.

A view holds open names, cannot be made or changed by a program, and has no `__name__`: with one, a
failing `from` import falls back to the interpreter's own table of modules.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from codemode.sandbox.language import modules
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.marks import override


class View:
    """One module as a program sees it; programs read its class's name as `module`."""

    __slots__ = ("__dict__",)

    def __getattr__(self, name: str) -> Any:
        if name in _live(self):
            return getattr(sys, name)
        if name == "__all__" and _live(self):
            return [name for name in dir(self) if not name.startswith("_")]  # for a star import
        title, withheld = about(self)
        if name == "__name__":
            raise denied("the name of a module", "an import would go by it", repr(title))
        if name in withheld:
            reason = withheld[name]
            raise denied(f"{title}.{name}", reason, modules.instead(title, name, reason))
        raise AttributeError(f"module {title!r} has no attribute {name!r}")

    @override
    def __setattr__(self, name: str, value: object) -> None:
        if name in _live(self):
            setattr(sys, name, value)
            return
        raise denied(f"setting {about(self)[0]}.{name}", _READ_ONLY, "a name of your own")

    @override
    def __delattr__(self, name: str) -> NoReturn:
        raise denied(f"deleting {about(self)[0]}.{name}", _READ_ONLY)

    @override
    def __dir__(self) -> list[str]:
        return list(held(self)) if id(self) in _ABOUT else []

    @override
    def __repr__(self) -> str:
        return f"<module {about(self)[0]!r}>"

    @override
    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("modules cannot be copied")


def make_view(values: Mapping[str, object], title: str, withheld: Mapping[str, str]) -> View:
    """The view of the module `title`."""
    view = View()
    live = _LIVE.intersection(values) if title == "sys" else frozenset[str]()
    held = {name: value for name, value in values.items() if name not in live}
    object.__getattribute__(view, "__dict__").update(held)
    _ABOUT[id(view)] = title, withheld
    _LIVE_IN[id(view)] = live
    _MADE.append(view)
    return view


_READ_ONLY: Final = "modules are read-only"

#: What of `sys` a program, or the library for it, may put something else in the place of. `print`,
#: `argparse` and their like look it up in the real module each time, and so does the view.
_LIVE: Final = frozenset({"stdout", "stderr", "stdin", "argv"})

View.__module__, View.__name__, View.__qualname__ = "builtins", "module", "module"

#: Kept outside the views, where no program can read or change it.
_ABOUT: Final[dict[int, tuple[str, Mapping[str, str]]]] = {}
_LIVE_IN: Final[dict[int, frozenset[str]]] = {}
#: Keeps each view alive, so that no other object has its identity.
_MADE: Final[list[View]] = []


def about(view: Any) -> tuple[str, Mapping[str, str]]:
    """The import name of `view` and the names that it withholds, each with the reason."""
    return _ABOUT.get(id(view), ("?", {}))


def _live(view: Any) -> frozenset[str]:
    """The names of `view` that are read from the interpreter's own module each time."""
    return _LIVE_IN.get(id(view), frozenset())


def held(view: Any) -> Mapping[str, Any]:
    """The open names of `view`."""
    values: Mapping[str, Any] = object.__getattribute__(view, "__dict__")
    return {**values, **{name: getattr(view, name) for name in _live(view)}}
