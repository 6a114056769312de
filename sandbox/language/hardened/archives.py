"""Archives whose class the library would change, or whose text it would take from an attribute."""

from __future__ import annotations

import zipfile
from typing import Any, Final

from codemode.sandbox.language.ownership import exact_type, expect

_inside: Final[dict[str, Any]] = vars(zipfile.Path)["__init__"].__globals__
COMPLETE: Final[type] = _inside["CompleteDirs"]
_LOOKUP: Final[type] = _inside["FastLookup"]


def _leave_open(_: Any) -> None:
    """What the end of one of them does; the library's own would close the archive."""


#: What a path sees an archive as that somebody else has opened, and will close.
_OF_OTHERS: Final[dict[type, Any]] = {
    kind: type(kind.__name__, (kind,), {"__module__": kind.__module__, "__del__": _leave_open})
    for kind in (COMPLETE, _LOOKUP)
}


def complete_dirs(kind: Any, source: Any) -> Any:
    """As `CompleteDirs.make`, with an archive beside `source`, that holds the same, in its place.

    The library gives `source` another class, and classes of the library do not change here.
    """
    if isinstance(source, COMPLETE):
        return source
    if not isinstance(source, zipfile.ZipFile):
        return kind(source)
    shown = _OF_OTHERS[kind if "r" in source.mode else COMPLETE]
    made = shown.__new__(shown)
    made.__dict__ = source.__dict__
    return made


def path_text(self: Any) -> str:
    """As `zipfile.Path`, whose own takes the text to format from an attribute."""
    expect(self, zipfile.Path)
    return f"{exact_type(self).__name__}({self.root.filename!r}, {self.at!r})"
