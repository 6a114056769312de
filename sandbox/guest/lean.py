"""Keeps out of the image what the library imports for itself and no program can use.

Every page of the image makes each fork dearer. Import this module before any other of the guest's:
what is imported by then stays. What is withheld here cannot be imported by programs either way.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Final

#: asyncio does without it; nothing here has a socket.
_ABSENT: Final = ("ssl",)
#: `xml.sax.saxutils` opens addresses with it, and programs have only its text functions.
_EMPTY: Final = ("urllib.request",)

_hidden: Final[dict[str, ModuleType | None]] = {}


def hide() -> None:
    """Make the modules look absent, or empty, to those that import them for themselves."""
    for name in _ABSENT:
        if name not in sys.modules:
            _hidden[name] = None
    for name in _EMPTY:
        if name not in sys.modules:
            _hidden[name] = ModuleType(name)
    sys.modules.update(_hidden)  # type: ignore[arg-type]  # None is how the system knows absence


def reveal() -> None:
    """Forget that they were hidden, once everything is imported."""
    for name, stand_in in _hidden.items():
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
    _hidden.clear()


hide()
