"""Tracebacks that become text: without values, and without the sandbox's own frames."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, Final

from codemode.sandbox.language.ownership import exact_type, expect
from codemode.sandbox.language.refusals import denied

#: Where the sandbox's own code lies.
_HOME: Final = __file__.removesuffix("language/hardened/traces.py")


def extract_frames(owner: type) -> Callable[..., Any]:
    """Frames become text: with their locals it would be that of the library's and the guest's.

    Those of the sandbox itself are left out: they would tell where it is installed.
    """
    original = vars(owner)["_extract_from_extended_frame_gen"].__func__

    def extract(cls: Any, frames: Any, **options: Any) -> Any:
        if options.get("capture_locals"):
            raise denied("capture_locals=True", "it reads frames", "print() of what matters")
        others = (one for one in frames if not one[0].f_code.co_filename.startswith(_HOME))
        return original(cls, others, **options)

    return extract


def from_exception(owner: type) -> Callable[..., Any]:
    """What is made of an exception is told its class: of what is none, that may be `type`."""
    original = vars(owner)["from_exception"].__func__

    def of_exception(cls: Any, exc: Any, *args: Any, **keywords: Any) -> Any:
        expect(exc, BaseException)
        return original(cls, exc, *args, **keywords)

    return of_exception


def of_error(
    original: Any, self: Any, exc_type: Any, exc_value: Any, *args: Any, **keywords: Any
) -> None:
    """What an error has for its cause or context is told its class too."""
    if exc_value is not None:
        expect(exc_value, BaseException)
    original(self, exc_type, exc_value, *args, **keywords)


def same_trace(original: Any, self: Any, other: Any) -> Any:
    """It compares all that `self` holds, whatever it is, with what the program put into another."""
    if not issubclass(exact_type(self), traceback.TracebackException):
        return NotImplemented
    return original(self, other)
