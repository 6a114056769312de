"""The host's side of the bridge: nothing that arrives is trusted until it is a message."""

from __future__ import annotations

from typing import Final

from codemode.sandbox.bridge import wire
from codemode.sandbox.bridge.machine import Machine
from codemode.sandbox.bridge.messages import FROM_GUEST
from codemode.sandbox.limits import Limits

#: What a message takes beside the value that its limit is about: names, a line, a traceback.
_ENVELOPE_BYTES: Final = 64 << 10


#: A message's own map is a level too.
_OWN_LEVELS: Final = 1


class HostBridge(Machine):
    """One conversation with one hostile guest, under the limits of its run."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(
            incoming=FROM_GUEST,
            decode=lambda body, max_bin_bytes: wire.unpack(
                body, nesting=limits.nesting + _OWN_LEVELS, max_bin_bytes=max_bin_bytes
            ),
            max_frame_bytes=limits.frame_bytes,
            budgets={
                "call": limits.argument_bytes + _ENVELOPE_BYTES,
                "end": limits.result_bytes + _ENVELOPE_BYTES,
                "artifact": limits.scratch_bytes + _ENVELOPE_BYTES,
            },
            least_chunk_bytes=limits.frame_bytes // 2,
        )
