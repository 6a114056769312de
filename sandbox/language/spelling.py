"""Names that programs give at run time, as text.

Must come before anything that asks the text what it says.
"""

from __future__ import annotations


def exact(name: object) -> str:
    """`name` as an exact `str`: a subclass could answer differently each time."""
    if type(name) is str:
        return name
    if isinstance(name, str):
        return str.__str__(name)
    raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
