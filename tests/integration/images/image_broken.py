"""An image whose preparation fails."""

from __future__ import annotations


def prepare(config: dict[str, object]) -> None:
    """Fail."""
    raise RuntimeError("the image is broken on purpose")


def serve(fd: int) -> None:
    """Never reached."""
