"""How the fork server begins: prepare the image, confine this process, prove it, and report.

Nothing of a program is here yet. What is found goes to the host before the first guest is forked;
where a layer is missing that was asked for, this process ends.

Source: SANDBOX 1.1 to 1.4.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import socket
from typing import Any, NoReturn, cast

from codemode.sandbox.forkserver import protocol
from codemode.sandbox.forkserver.forks import Forks
from codemode.sandbox.forkserver.server import Image, Server, do_nothing
from codemode.sandbox.jail import probes, report, steps


def main(control: socket.socket, order: dict[str, Any]) -> NoReturn:
    """Prepare the image, confine this process, report, and serve until the host is gone.

    Args:
        control: The only descriptor that came from the host.
        order: `image`, `config`, `memory_bytes`, `cpu_s`, `required`.
    """
    gc.disable()  # all that is made here stays
    image = cast("Image", importlib.import_module(order["image"]))
    image.prepare(order["config"])
    _refuse_threads()
    layers = steps.Layers()
    confined = steps.confine(layers, control.fileno())
    forks = Forks(confined, control)
    jail = _prepare_jail(layers, order, has_pid_namespaces=confined.pids is not None)
    getattr(image, "settle", do_nothing)()
    gc.freeze()  # so that no collection in a guest writes to, and so copies, these pages
    gc.enable()
    verdicts = {} if jail is None else _probe(forks, jail)
    found = report.make(layers, verdicts)
    if found.level == "none":
        jail = None
    control.send(protocol.READY + json.dumps(found.as_json()).encode())
    if jail is None and order["required"] != "unsafe":
        os._exit(1)  # the host was told why
    Server(control, forks, jail, image).run()


def _refuse_threads() -> None:
    """A fork copies only its own thread: locks that others hold would stay locked for ever."""
    threads = len(os.listdir("/proc/self/task"))
    if threads > 1:
        raise RuntimeError(f"the image started {threads - 1} threads; it must start none")


def _prepare_jail(
    layers: steps.Layers, order: dict[str, Any], *, has_pid_namespaces: bool
) -> steps.Jail | None:
    try:
        jail = steps.Jail(
            memory_bytes=order["memory_bytes"],
            cpu_s=order["cpu_s"],
            has_pid_namespaces=has_pid_namespaces,
        )
    except OSError as error:
        layers.missing.append(f"seccomp: {error.strerror}")
        return None
    layers.seccomp = True
    return jail


def _probe(forks: Forks, jail: steps.Jail) -> dict[str, str]:
    """Run the self-test: one jailed guest per probe, all at once."""
    pids: dict[str, int] = {}
    for name in probes.PROBES:

        def act(base_bytes: int, name: str = name) -> None:
            try:
                # A socket takes the place of the bridge; the probe must not reach it either.
                jail.enter(socket.socketpair()[0].detach(), base_bytes)
            except OSError:
                os._exit(probes.NOT_JAILED)
            probes.attempt(name)

        pids[name] = forks.fork(act)
    return {name: probes.verdict(os.waitpid(pid, 0)[1]) for name, pid in pids.items()}
