"""What stands in front of matches that the interpreter makes itself: class patterns and `except*`.

The first read attributes by text, the second call a method of the error's. Neither asks the policy.
"""

from __future__ import annotations

import ast
import sys
from asyncio.exceptions import CancelledError  # noqa: TID251 - programs run on it
from enum import EnumMeta
from typing import Any, Final, cast

from codemode.sandbox.language.ownership import exact_type, is_of_package, is_own_class
from codemode.sandbox.language.refusals import denied
from codemode.sandbox.marks import override


class Subjects(type):
    """Says which objects class patterns may take apart by position."""

    @override
    def __instancecheck__(cls, subject: object) -> bool:
        """Whether reading attributes of `subject` by text can lead nowhere."""
        kind: Any = exact_type(subject)
        if is_own_class(kind) or is_of_package(kind):
            return True
        # An enum keeps its members in dicts of the class, which are everybody's.
        metaclass = exact_type(cast("object", kind))
        return issubclass(kind, _TAKEN_APART) and not issubclass(metaclass, EnumMeta)


class Gate(int, metaclass=Subjects):
    """The class pattern `Gate(inner)`: the subject itself goes on to `inner`, if it may.

    The interpreter matches subclasses of `int` so. A class pattern by position reads attributes
    named in `__match_args__`, of whatever object an abstract class claims as its own.
    """


#: Library classes whose instances patterns take apart: plain data, and syntax trees.
_TAKEN_APART: Final = (
    bool,
    bytearray,
    bytes,
    dict,
    float,
    frozenset,
    int,
    list,
    set,
    str,
    tuple,
    ast.AST,
)


def check_group() -> None:
    """Refuse what `except*` may not match: the interpreter would call a `split` of the program's.

    Raises:
        DeniedError: The error being handled is no group, or no plain one.
    """
    error = sys.exc_info()[1]
    if isinstance(error, (SystemExit, GeneratorExit, CancelledError)):
        return
    if type(error) not in (ExceptionGroup, BaseExceptionGroup) or "split" in vars(error):
        raise denied(
            f"except* for {type(error).__name__}", "it is for plain groups of errors only", "except"
        ) from error
