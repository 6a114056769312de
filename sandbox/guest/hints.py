"""What an error's author is told besides: the name that was meant, and what to do about it.

The interpreter offers near names itself, before 3.12 only where it prints an error, which never
happens here. A hint goes into a failure's message and never into its traceback. Must never call a
method of the program's objects.

Source: the suggestions of CPython's `traceback` since 3.12.
"""

from __future__ import annotations

import difflib
import re
import sys
from asyncio.exceptions import CancelledError
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, TracebackType
from typing import Any, Final, cast

from codemode.sandbox.guest.records import Record
from codemode.sandbox.language import modules
from codemode.sandbox.language.ownership import exact_type, is_class, is_own
from codemode.sandbox.language.view import View, about, held

_MOST_NAMES: Final = 750
_MOST_CHARS: Final = 40
_MOST_PATHS: Final = 3

#: By class, the most special first.
_BY_CLASS: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (
        FileNotFoundError,
        "files here are this run's own: those that it was given, and what it has written itself",
    ),
    (RecursionError, "a loop with a list as its stack has no such limit"),
    (
        CancelledError,
        "a task was awaited that had been cancelled; catch asyncio.CancelledError around the await",
    ),
)

_IS_TEXT: Final = "it is text: if it is JSON, json.loads() makes a value of it"

#: What asyncio says to what is no coroutine.
_WANTS_COROUTINE: Final = (
    "a coroutine or an awaitable is required",
    "coroutines or Futures are required",
)

#: What the interpreter says to an `await` of what cannot be awaited; the second since 3.14.
_AWAITED_TWICE: Final = ("can't be used in 'await' expression", "object can't be awaited")

#: What the interpreter says to a list, and to a text, that is asked for a key; the third on 3.11.
_BY_INDEX: Final = {
    "list indices must be integers or slices, not str": (
        "it is a list: loop over it, or take one of its items by number"
    ),
    "string indices must be integers, not 'str'": _IS_TEXT,
    "string indices must be integers": _IS_TEXT,
}

_CALLED_MODULE: Final = "'module' object is not callable"

#: How other languages spell what Python has too.
_BY_NAME: Final = {"true": "True", "false": "False", "null": "None", "undefined": "None"}

_BY_SYNTAX: Final = {
    "'await' outside async function": "write `async def`, and `await` the calls of that function",
    "asynchronous comprehension outside of an asynchronous function": "write `async def`",
    "'async for' outside async function": "write `async def`",
    "'async with' outside async function": "write `async def`",
}


def hint(error: BaseException, message: str) -> str:
    """What to do about an error that nobody caught; "" when its message says enough."""
    for kind, text in _BY_CLASS:
        if isinstance(error, kind):
            return text
    if isinstance(error, (TypeError, AttributeError)) and "'coroutine'" in message:
        return "an `await` is missing in front of the call that made the coroutine"
    if isinstance(error, (TypeError, ValueError)) and message.endswith(_WANTS_COROUTINE):
        return "outside `async def` a call gives its answer at once, and needs no asyncio"
    if isinstance(error, TypeError) and message.endswith(_AWAITED_TWICE):
        return "it is no call: the answer that an `await` gave is not awaited again"
    if isinstance(error, TypeError) and message.endswith(_CALLED_MODULE):
        return "what is in it is called: `module.function()`, or `from module import function`"
    if isinstance(error, TypeError):
        return _BY_INDEX.get(message.removeprefix("TypeError: "), "")
    if isinstance(error, AttributeError):
        parts = vars(AttributeError)
        return _of_value(parts["obj"].__get__(error), parts["name"].__get__(error))
    if isinstance(error, NameError):
        return _of_name(vars(NameError)["name"].__get__(error))
    return ""


def _of_value(value: Any, name: Any) -> str:
    """Whether not the list, but what is in it, has the attribute, or what the text stands for."""
    if type(name) is not str:
        return ""
    if exact_type(value) is str and value[:1] in ("{", "["):
        return _IS_TEXT
    if (is_class(value) or exact_type(value) in _FUNCTIONS) and not is_own(value):
        return _beside(value, name)
    if exact_type(value) is View:
        return _inside(value, name)
    first: Any = value[0] if exact_type(value) is list and value else None
    if type(first) is Record and (name in first or name in vars(dict)):
        return f"it is a list, and its items have {name!r}: loop over it, or take one by number"
    return ""


def _beside(value: Any, name: str) -> str:
    """Whether a class or function was taken for its module, which has what it was asked for."""
    home, own = value.__module__, value.__name__
    if home not in modules.BY_NAME or name not in vars(sys.modules.get(home, object)):
        return ""
    kind = "class" if is_class(value) else "function"
    if name == own:
        return f"`{own}` is the {kind} already, and not its module: write `{own}`"
    return f"`{own}` is the {kind}, and not its module: `from {home} import {name}`"


_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType)


def _inside(module: View, name: str) -> str:
    """Whether a class of the module's own name has what the module was asked for."""
    title, _ = about(module)
    kind = held(module).get(title)
    return f"write `{title}.{title}.{name}`" if is_class(kind) and name in dir(kind) else ""


def _of_name(name: Any) -> str:
    """The Python word, or where a function is that was called by its last name alone."""
    if type(name) is str and name in _BY_NAME:
        return f"Python writes `{_BY_NAME[name]}`"
    from codemode.sandbox.guest.namespaces import paths_of  # which needs the errors, and they this

    paths = paths_of(name) if type(name) is str else []
    shown = " or ".join(f"`{path}`" for path in paths[:_MOST_PATHS])
    return f"did you mean {shown}?" if shown else ""


def syntax_hint(message: str, line: str, version: tuple[int, ...] = sys.version_info[:2]) -> str:
    """What to do about a syntax error; "" when the interpreter's words are enough.

    Args:
        message: The interpreter's.
        line: The text of the program there.
        version: Of this interpreter.
    """
    here = ".".join(map(str, version))
    if message.startswith("f-string") and version < _NESTED_QUOTES:
        return (
            "in the braces of an f-string, its own quotes, backslashes and comments need Python "
            f"3.12, and this is {here}: use the other quotes there, or a variable"
        )
    for since, what, instead, spelling in _NEWER:
        if version < since and re.search(spelling, line):
            return f"{what} need Python {since[0]}.{since[1]}, and this is {here}: {instead}"
    return _BY_SYNTAX.get(message, "")


_NESTED_QUOTES: Final = (3, 12)

#: Syntax by the version that brought it: what it is, what to write instead, and how it looks.
_NEWER: Final = (
    (
        (3, 12),
        "`type` statements",
        "a plain assignment names a type too",
        r"^\s*type\s+\w+\s*(\[.*\])?\s*=",
    ),
    (
        (3, 12),
        "type parameters in brackets",
        "leave them out, or use typing.TypeVar",
        r"^\s*(async\s+def|def|class)\s+\w+\s*\[",
    ),
    (
        (3, 14),
        "t-strings",
        "an f-string, or str.format()",
        r"(?<!\w)[tT][rR]?[\"']",
    ),
)


def suggestion(error: BaseException, trace: TracebackType | None) -> str:
    """What the interpreter would add to an error about a name; "" since it adds it by itself."""
    text = error.args[0] if error.args else ""
    is_said = type(text) is str and "did you mean" in text.casefold()
    if sys.version_info >= (3, 12) or is_said:
        return ""
    if isinstance(error, NameError):
        return _for_name(getattr(error, "name", None), trace)
    if isinstance(error, AttributeError):
        return _near(getattr(error, "name", None), _attributes(getattr(error, "obj", None)))
    return ""


def _for_name(name: Any, trace: TracebackType | None) -> str:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if type(name) is not str or trace is None:
        return ""
    frame = trace.tb_frame
    scopes: tuple[Any, ...] = (frame.f_locals, frame.f_globals, frame.f_builtins)
    near = _near(name, [known for scope in scopes for known in scope])
    if name in sys.stdlib_module_names:
        return (
            f"{near} Or did you forget to import {name!r}?"
            if near
            else (f". Did you forget to import {name!r}?")
        )
    return near


def _attributes(value: Any) -> Iterable[Any]:
    """The names that `value` has, as far as they can be read without asking it."""
    kind = cast("Any", type(value))
    for base in type.__getattribute__(kind, "__mro__"):
        yield from type.__getattribute__(base, "__dict__")
    holder: Any = type.__getattribute__(value, "__dict__") if isinstance(value, type) else None
    if holder is None:
        try:
            holder = object.__getattribute__(value, "__dict__")
        except Exception:  # noqa: BLE001  # a property of the program's of that name
            return
    if isinstance(value, type) or type(holder) is dict:
        yield from tuple(cast("Iterable[Any]", holder))


def _near(name: Any, known: Iterable[Any]) -> str:
    if type(name) is not str or len(name) > _MOST_CHARS:
        return ""
    is_private = name.startswith("_")
    names = {
        one
        for one in known
        if type(one) is str and one[:1] != "$" and (is_private or one[:1] != "_")
    }
    if len(names) > _MOST_NAMES:
        return ""
    found = difflib.get_close_matches(name, sorted(names), n=1, cutoff=0.7)
    return f". Did you mean: {found[0]!r}?" if found and found[0] != name else ""
