"""In front of the attacks of the layer `raw`: they speak to the bridge with the kernel's own calls.

A frame is a 4-byte big-endian length and one msgpack map; descriptor 3 is both directions.
"""

import ctypes
import struct
from typing import Any, NoReturn

import msgpack

WON = "ESC" + "APED"
_libc = ctypes.CDLL(None, use_errno=True)


def pack(value: object) -> bytes:
    """One value as msgpack, whatever it is."""
    packed: bytes = msgpack.packb(value)
    return packed


def write(data: bytes) -> int:
    """Write bytes to the bridge as they are; gives what the kernel took, or -1."""
    taken = 0
    while taken < len(data):
        step = _libc.write(3, data[taken:], len(data) - taken)
        if step <= 0:
            return -1
        taken += step
    return taken


def frame(body: bytes) -> bytes:
    """One body with its length in front."""
    return struct.pack(">I", len(body)) + body


def send(**fields: object) -> int:
    """Write one frame."""
    return write(frame(pack(fields)))


def read(size: int) -> bytes:
    """Read exactly `size` bytes from the bridge; fewer at its end."""
    found = b""
    buffer = ctypes.create_string_buffer(65536)
    while len(found) < size:
        step = _libc.read(3, buffer, min(65536, size - len(found)))
        if step <= 0:
            break
        found += buffer.raw[:step]
    return found


def receive() -> Any:
    """The next message of the host."""
    (size,) = struct.unpack(">I", read(4))
    return msgpack.unpackb(read(size))


def wait() -> NoReturn:
    """Stay alive without doing anything."""
    while True:
        read(1)
