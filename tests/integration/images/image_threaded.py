"""An image that starts a thread, which no fork would copy."""

from __future__ import annotations

import threading


def prepare(config: dict[str, object]) -> None:
    """Start a thread that waits for ever."""
    threading.Thread(target=threading.Event().wait, daemon=True).start()


def serve(fd: int) -> None:
    """Never reached."""
