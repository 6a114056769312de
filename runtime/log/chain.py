"""The chain: what an event's digest covers, and what a signed checkpoint says.

An outside verifier needs only this: `hash` is SHA-256 of `c1`, a newline and the canonical JSON of
the event without its `hash`; `prev` is the `hash` of the event before, 64 zeros for the first.
No I/O and no clock here.
"""

from __future__ import annotations

import hashlib
from typing import Final

from codemode.runtime.log.canonical import PREFIX

#: `prev` of a session's first event.
GENESIS: Final = "0" * 64


def digest(body: bytes) -> str:
    """The `hash` of an event whose canonical bytes without it are `body`."""
    return hashlib.sha256(PREFIX + body).hexdigest()


def checkpoint_text(session: str, count: int, head: str) -> bytes:
    """What a checkpoint's signature covers: the first `count` events of `session` end in `head`."""
    return f"codemode checkpoint c1\n{session}\n{count}\n{head}\n".encode()
