"""What to send instead of a value that is not JSON, by its class.

Nothing of the value is called: a class is known by its exact bases and its name.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

_LIST: Final = "send list(...) of it"
_CALL: Final = "call it, or send a text"
_AWAIT: Final = "an `await` is missing in front of the call that made it"

#: What to send instead of values of the standard library, by class.
_INSTEAD: Final = {
    **dict.fromkeys(
        ("datetime.date", "datetime.datetime", "datetime.time"), "send .isoformat() of it"
    ),
    "datetime.timedelta": "send .total_seconds() of it",
    "decimal.Decimal": "send str(...) or float(...) of it",
    "fractions.Fraction": "send str(...) or float(...) of it",
    "uuid.UUID": "send str(...) of it",
    "pathlib.PurePath": "send str(...) of it",
    "pydantic.main.BaseModel": 'send .model_dump(mode="json") of it',
    "builtins.complex": "send [z.real, z.imag]",
    **dict.fromkeys(
        (
            "builtins.generator",
            "builtins.range",
            "builtins.map",
            "builtins.filter",
            "builtins.zip",
            "builtins.enumerate",
            "builtins.reversed",
            "builtins.dict_keys",
            "builtins.dict_values",
            "builtins.dict_items",
            "collections.deque",
        ),
        _LIST,
    ),
    **dict.fromkeys(
        ("builtins.function", "builtins.method", "builtins.builtin_function_or_method"), _CALL
    ),
    "builtins.coroutine": _AWAIT,
    "codemode.sandbox.guest.handles.Handle": _AWAIT,
}


def refusal(item: object) -> str:
    """Why `item` is not JSON, and what to send in its place."""
    kind = type(item)
    mro = type.__getattribute__(kind, "__mro__")
    name = type_name(kind)
    if Enum in mro:
        return f"{name} is an enum; send its .value"
    if kind in (bytes, bytearray, memoryview):
        return f"{name} is not JSON; send text, such as base64"
    if kind in (set, frozenset):
        return f"{name} is not JSON; send a list, such as sorted(...)"
    if tuple in mro and any("_fields" in type.__getattribute__(base, "__dict__") for base in mro):
        return f"{name} is a named tuple; send ._asdict() or a list"
    for base in (dict, list, str, int, float):
        if base in mro:
            return f"{name} is a subclass of {base.__name__}; send {base.__name__}(...) of it"
    if any("__dataclass_fields__" in type.__getattribute__(base, "__dict__") for base in mro):
        return f"{name} is a dataclass; send dataclasses.asdict(...) of it"
    instead = next(filter(None, map(_INSTEAD.get, map(_path, mro))), "")
    return f"{name} is not JSON; {instead or 'send a dict, list, str, number, bool or None'}"


def type_name(kind: type) -> str:
    """The name of a class, read past whatever the class makes of attributes."""
    name = type.__getattribute__(kind, "__name__")
    return name if isinstance(name, str) and len(name) < 100 else "object"


def _path(kind: type) -> str:
    module: object = type.__getattribute__(kind, "__module__")
    return f"{module}.{type_name(kind)}" if type(module) is str else ""
