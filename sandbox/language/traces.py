"""What programs get of the traceback of an error: a line, or one that they can only show.

Must never hand out a traceback that a program could read frames from.
"""

from __future__ import annotations

from typing import Any

from codemode.sandbox.language.ownership import exact_type
from codemode.sandbox.language.refusals import refuse_name


def trace_of(error: Any) -> Any:
    """The traceback of an error, for a function that shows it; a program can read no more of it."""
    if not issubclass(exact_type(error), BaseException):
        raise refuse_name("__traceback__")
    return error.__traceback__


def line_of(error: Any) -> int:
    """`error.__traceback__.tb_lineno`: the line where it was raised, or passed on."""
    trace = trace_of(error)
    if trace is None:
        raise AttributeError("'NoneType' object has no attribute 'tb_lineno'")
    line: int = trace.tb_lineno
    return line
