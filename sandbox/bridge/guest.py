"""The guest's side of the bridge. The host is trusted; its mistakes are errors, not guesses."""

from __future__ import annotations

from typing import Any, Final

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.machine import Machine
from codemode.sandbox.bridge.messages import FROM_HOST

_ANY_SIZE: Final = 1 << 40

#: Until `Run` says what the limit is.
FIRST_FRAME_BYTES: Final = 64 << 20


class GuestBridge(Machine):
    """The one conversation of a guest's life.

    Args:
        record: The dict subclass that each map of a reply becomes.
    """

    def __init__(self, *, record: type[dict[str, Any]]) -> None:
        super().__init__(
            incoming=FROM_HOST,
            decode=lambda body, _: wire.unpack_trusted(body, record),
            max_frame_bytes=FIRST_FRAME_BYTES,
            budgets={"run": _ANY_SIZE, "reply": _ANY_SIZE},
        )
