"""A whole run of a small program that goes nowhere.

Each guest rehearses while it waits for its program: a fork shares its memory until it writes, and
the pages that every run writes to are then its own already. A rehearsal leaves nothing behind that
a program could see.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from typing import Any, Final, NoReturn

from codemode.sandbox.bridge.host import HostBridge
from codemode.sandbox.bridge.messages import Fail, Run
from codemode.sandbox.guest.console import PRINTED
from codemode.sandbox.guest.handles import DROPPED
from codemode.sandbox.guest.port import Port
from codemode.sandbox.guest.program import Runner
from codemode.sandbox.guest.scheduler import SCHEDULER
from codemode.sandbox.language.ownership import UNCHECKED
from codemode.sandbox.language.views import Views
from codemode.sandbox.limits import Limits
from codemode.sandbox.marks import override

_SOURCE: Final = """
import json, re
class C:
    def __init__(self, x: int = 1) -> None:
        self.x = x
def f(a, *b, c=2, **d):
    return [i * a for i in range(3) if i]
x = 0
for i in range(3):
    x += i
try:
    print(f"{C().x!r:>5}", {"a": 1}["a"], json.dumps([1]), f(1))
except ValueError as e:
    raise
with open("x", "w") as file:
    file.write("x")
{"a": [1, 2.5, None, "x"]}
"""


class Rehearsed(BaseException):
    """The rehearsal came to its end."""


@cache
def _script() -> bytes:
    """What a host would send to have it run."""
    limits = Limits()
    run = Run(
        source=_SOURCE,
        filename="rehearsal.py",
        policy="restricted",
        error_name="ToolCallError",
        seed=None,
        clock=None,
        bindings=[["tools.x", "", [], False, None]],
        files={},
        artifacts=[],
        limits={name: int(value) for name, value in limits.as_json().items()},
    )
    return b"".join(HostBridge(limits).send(run))


class Stage(Port):
    """A port without a host behind it: the program comes from the script."""

    @override
    def receive(self) -> list[Any]:
        """The script."""
        self._bridge.receive(_script())
        return list(self._bridge.messages())

    @override
    def fail(self, failure: Fail) -> NoReturn:
        """Refuse to serve with an image that cannot run this.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(f"the rehearsal failed: {failure.message}\n{failure.traceback}")

    @override
    def _write(self, frames: Iterable[bytes]) -> None:
        for _ in frames:
            pass

    @override
    def _leave(self) -> NoReturn:
        raise Rehearsed


def rehearse(views: Views) -> None:
    """Run the small program, and forget it.

    Raises:
        RuntimeError: It failed, so that no program can be expected to run.
    """
    stage = Stage()
    run = stage.receive_run()
    SCHEDULER.attach(stage)
    with suppress(Rehearsed):
        Runner(stage, run, views).run()
    SCHEDULER.reset()
    DROPPED.clear()
    UNCHECKED.clear()
    PRINTED.anything = False
