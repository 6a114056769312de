"""What programs are told of the code of their own functions: how many parameters, and which.

Written as `function.__code__.co_argcount`, which is how functions are curried and tools described.
Must never hand out the code object itself.
"""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any, Final

from codemode.sandbox.language.ownership import is_own_function
from codemode.sandbox.language.refusals import refuse_name
from codemode.sandbox.language.words import words

#: Attributes of a code object that count or name what the program wrote.
FACTS: Final = frozenset(words("co_argcount co_kwonlyargcount co_posonlyargcount co_varnames"))


def fact_of(function: Any, name: str) -> Any:
    """`function.__code__.name`, of a function that the program defines."""
    own = function.__func__ if type(function) is MethodType else function
    if type(own) is not FunctionType or not is_own_function(own) or name not in FACTS:
        raise refuse_name("__code__")
    return getattr(own.__code__, name)
