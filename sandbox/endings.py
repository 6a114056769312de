"""How a run ended, in the words of the seam: from the guest's last message, or from its death."""

from __future__ import annotations

import signal
from typing import Any, Final

from codemode.sandbox.bridge.messages import OUT_OF_MEMORY, Fail
from codemode.sandbox.forkserver.guest import Exit
from codemode.sandbox.limits import Limits, passed
from codemode.sandbox.program import Failure
from codemode.sandbox.text import clean

#: Honest guests keep their words shorter than these; see `guest.errors`.
_TEXT_CHARS: Final = 32_000
_NAME_CHARS: Final = 200

#: A guest that passes its own limit hears of it; a kill is for what it shares with others.
_NO_MEMORY: Final = (
    "the kernel ended the program, since the memory of the machine, or of all programs together,"
    " was used up; hold less at once: go through the data in parts"
)


def by_limit(kind: Any, name: str, limits: Limits) -> Failure:
    """The failure of a run that passed a limit."""
    return Failure(kind=kind, message=passed(name, getattr(limits, name)), limit=name)


def by_violation(what: str) -> Failure:
    """The failure of a guest that broke a rule which no program can break."""
    return Failure(kind="violation", message=what)


def claimed(fail: Fail) -> Failure:
    """The failure that a guest reports; its texts are bounded and cannot steer a terminal."""
    name = fail.exception
    return Failure(
        kind=fail.kind,
        message=clean(fail.message[:_TEXT_CHARS]),
        traceback=clean(fail.traceback[:_TEXT_CHARS]),
        line=fail.line,
        limit=fail.limit,
        exception=None if name is None else clean(name[:_NAME_CHARS]),
    )


def _named(number: int) -> str:
    try:
        name = f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        name = f"signal {number}"
    if number == signal.SIGSEGV:
        return f"{name}, as it does when a recursion is too deep for the stack"
    return name


def by_death(exited: Exit | None, limits: Limits) -> Failure:
    """The failure of a guest that is gone without a word.

    Args:
        exited: What the kernel says; None when nothing was heard in time.
    """
    if exited is None:
        return Failure(kind="crash", message="the guest ended without saying why")
    if exited.cause == "cpu":
        return by_limit("cpu_limit", "cpu_s", limits)
    if exited.status == OUT_OF_MEMORY:
        return by_limit("memory_limit", "memory_bytes", limits)
    if exited.cause == "memory":
        return Failure(kind="memory_limit", message=_NO_MEMORY)
    if exited.cause == "violation":
        return by_violation(
            "the program was killed for a system call that the jail forbids; what it may reach"
            " outside of itself are the functions that it was given"
        )
    if exited.signal:
        return Failure(kind="crash", message=f"the interpreter died of {_named(exited.signal)}")
    text = f"the guest ended without saying why (status {exited.status})"
    return Failure(kind="crash", message=text)
