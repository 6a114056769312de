"""What a host's hook throws: the failure of that hook, by its name, whatever it is.

A hook that ends the process, or that awaited something that was cancelled, fails its own call and
no other. What is somebody's will is never taken for a failure: a person's Ctrl-C, and a
cancellation that was asked for.
"""

from __future__ import annotations

import asyncio  # noqa: TID251 - its cancellation can be raised by anybody
import inspect

from codemode.runtime.cancellation import is_task_cancelled
from codemode.runtime.failures import describe_exception


class HookFaultError(TypeError):
    """A hook answered something that its layer may not."""


class HookFailedError(Exception):
    """A hook threw.

    Attributes:
        who: Which one, as in "the policy spending".
        error: What it threw.
    """

    def __init__(self, who: str, error: BaseException) -> None:
        super().__init__(f"{who} failed: {described(error)}")
        self.who = who
        self.error = error


def failed(raised: BaseException, who: str) -> BaseException:
    """What to raise for what a hook has thrown; `raised` itself if it is no failure.

    Called where the hook was called, before any scope around it is left.
    """
    if isinstance(raised, (HookFaultError, HookFailedError)) or not is_failure(raised):
        return raised
    return HookFailedError(who, raised)


def is_failure(raised: BaseException) -> bool:
    """Whether it is the fault of who threw it."""
    if isinstance(raised, (Exception, SystemExit)):
        return True
    return isinstance(raised, asyncio.CancelledError) and not is_task_cancelled()


def described(error: BaseException) -> str:
    """A failure in words, also of what has none of its own."""
    if isinstance(error, SystemExit):
        return "it tried to end the process"
    if isinstance(error, asyncio.CancelledError):
        return "something that it waited for was cancelled"
    return describe_exception(error)


def discard(answer: object) -> None:
    """Close a coroutine that nobody may await, so that it warns nobody."""
    if inspect.iscoroutine(answer):
        answer.close()
