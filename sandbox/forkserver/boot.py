"""The program that the host execs as the fork server.

It runs without site-packages and knows nothing yet: it receives its order on the control socket,
makes exactly the named packages importable, and hands over. It must import the standard library
only, since nothing else can be found before that.

Usage: python -P -s -S -B boot.py CONTROL_FD
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any

_FAILED = b"F"
_MESSAGE_BYTES = 60_000


class PackageFinder:
    """Finds the top-level packages that the host named, and nothing else.

    Args:
        origins: The file of each package's or module's source, by name.
    """

    def __init__(self, origins: Mapping[str, str]) -> None:
        self._origins = origins

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Called by the import system; submodules are found on their package's path."""
        origin = self._origins.get(name)
        if path is not None or origin is None:
            return None
        is_package = os.path.basename(origin).startswith("__init__.")
        places = [os.path.dirname(origin)] if is_package else None
        return spec_from_file_location(name, origin, submodule_search_locations=places)


def bare_package(name: str, path: list[str]) -> None:
    """Register a package without running its `__init__`, which imports what only the host has."""
    module = ModuleType(name)
    module.__path__ = path
    module.__spec__ = ModuleSpec(name, None, is_package=True)
    module.__spec__.submodule_search_locations = path
    sys.modules[name] = module


def receive_order(control: socket.socket) -> dict[str, Any]:
    """Read the host's order from the file that it sent along."""
    _, descriptors, _, _ = socket.recv_fds(control, 1, 1)
    if len(descriptors) != 1:
        os._exit(1)  # the host is gone
    with open(descriptors[0], "rb") as file:
        order: dict[str, Any] = json.load(file)
    return order


def main() -> None:
    """Become the fork server."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    try:
        order = receive_order(control)
        os.environ.update(order["environment"])  # before any library reads it
        sys.meta_path.append(PackageFinder(order["packages"]))
        bare_package("codemode", [])
        bare_package("codemode.sandbox", [str(order["sandbox"])])
        from codemode.sandbox.forkserver import preparing

        preparing.main(control, order)
    except BaseException:  # noqa: BLE001 - whatever it is, the host must hear of it
        text = traceback.format_exc().encode(errors="replace")[-_MESSAGE_BYTES:]
        control.send(_FAILED + text)
        os._exit(1)


if __name__ == "__main__":
    main()
