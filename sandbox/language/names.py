"""The names that programs may not load or bind, and what they are told instead.

Facts only; the transformer applies them to every syntax that loads or binds a name.
"""

from __future__ import annotations

from typing import Final

from codemode.sandbox.language.attributes import DEFINABLE
from codemode.sandbox.language.words import words

#: Builtins that are not there, each with the reason and what to use instead.
WITHHELD_BUILTINS: Final = {
    "eval": (
        "text must not become code",
        "ast.literal_eval(), or for arithmetic a dict of operators",
    ),
    "exec": ("text must not become code", "functions"),
    "compile": ("text must not become code", "functions"),
    "globals": ("the namespace holds the policy's own checks", "a dict of your own"),
    "locals": (
        "outside a function the namespace holds the policy's own checks",
        "a dict of your own",
    ),
    "breakpoint": ("nobody is there to debug", "print()"),
}

#: Special names that describe a program.
_ABOUT: Final = frozenset(
    words(
        "__version__ __author__ __all__ __license__ __copyright__ __email__ __date__ __status__",
        "__credits__ __maintainer__ __docformat__ __title__ __doc__",
    )
)

#: Special names that any syntax may bind.
BINDABLE: Final = _ABOUT | DEFINABLE

#: Special names that may be bound in a class body besides.
CLASS_BINDABLE: Final = frozenset({"__doc__", "__hash__", "__bases__"})

#: Special names that may be loaded. `__import__` is the checked import itself.
LOADABLE: Final = BINDABLE | frozenset(
    {"__name__", "__file__", "__debug__", "__import__", "__class__"}
)
