"""Word lists of the policy's tables, written as text so that a reader sees many at once."""

from __future__ import annotations


def words(*lines: str) -> tuple[str, ...]:
    """The words of `lines`, in order."""
    return tuple(word for line in lines for word in line.split())
