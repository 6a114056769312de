"""What the figures of `codemode bench` stand beside: msgpack alone, and plain CPython.

Nothing here is the engine's. All times are wall clock, in seconds.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from typing import Any, Final

import msgpack

#: What a nested call answers, here and in the sandbox.
ANSWER: Final[dict[str, Any]] = {
    "items": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}],
    "total": 2,
}
_REQUEST: Final = {
    "t": "call",
    "id": 1,
    "name": "tools.search",
    "arguments": {"query": "q", "limit": 3},
}
#: The other end of a bare round trip, in an interpreter of its own.
_ECHO: Final = """
import socket, sys, msgpack
wire = socket.socket(fileno=int(sys.argv[1]))
reply = msgpack.packb({"t": "reply", "id": 1, "value": %r})
while data := wire.recv(65536):
    msgpack.unpackb(data)
    wire.sendall(reply)
"""
_TIMED: Final = """
import sys, time
code = compile(sys.argv[1], "program.py", "exec")
begun = time.perf_counter()
exec(code, {"__name__": "__main__"})
print(time.perf_counter() - begun)
"""


def bare_round_trips(count: int) -> float:
    """That many round trips of a call-sized message, over a socket to another interpreter."""
    ours, theirs = socket.socketpair()
    request = msgpack.packb(_REQUEST)
    command = [sys.executable, "-c", _ECHO % (ANSWER,), str(theirs.fileno())]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()]), ours:  # noqa: S603 - our own program
        theirs.close()
        begun = time.perf_counter()
        for number in range(count + 1):
            if number == 1:  # the first one waited for the interpreter
                begun = time.perf_counter()
            ours.sendall(request)
            msgpack.unpackb(ours.recv(65536))
        return time.perf_counter() - begun


def plain_python(program: str) -> float:
    """The program in plain CPython, without its start; what it prints is not kept."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-I", "-c", _TIMED, program], capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def pack_and_unpack(value: object) -> float:
    """There and back again, in this process."""
    begun = time.perf_counter()
    msgpack.unpackb(msgpack.packb(value))
    return time.perf_counter() - begun
