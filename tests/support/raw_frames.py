"""Frames of bodies that no machine would send: for tests of what comes over the bridge."""

from __future__ import annotations

from codemode.sandbox.bridge.frames import HEADER


def frame(body: bytes) -> bytes:
    """The bytes on the wire for one body, whatever it is."""
    return HEADER.pack(len(body)) + body
