"""`override`, which the standard library has from 3.12 on only; it does nothing when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import override
else:

    def override(method):
        """Mark a method that replaces one of a base class."""
        return method


__all__ = ["override"]
