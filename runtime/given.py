"""What a host gives to a runtime, judged where it is given, with every fault at once.

A type checker says the same before; who runs none would learn of a misspelt mode, or of a function
in place of a tool, only when a call fails, or never.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, cast, get_args

from codemode.runtime.errors import MisuseError
from codemode.runtime.execution import Mode
from codemode.runtime.log import Redactor
from codemode.runtime.log.journal import JournalMode
from codemode.runtime.scope import Scope
from codemode.runtime.typecheck.findings import TypeCheck
from codemode.sandbox.isolation import Required
from codemode.sandbox.limits import Limits
from codemode.sdkgen import WireDialect

#: Options that take one of a few words.
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "mode": get_args(Mode),
    "journal": get_args(JournalMode),
    "isolation": get_args(Required),
    "typecheck": get_args(TypeCheck),
    "dialect": get_args(WireDialect),
}
#: Options that take an instance, or nothing.
_CLASSES: Final[Mapping[str, type]] = {
    "limits": Limits,
    "redact": Redactor,
    "journal_retention": timedelta,
    "scope": Scope,
    "parent": Scope,
}
#: Options that take a part of the host's own, or nothing, by the methods that are called.
_METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    "approval": ("ask",),
    "signer": ("sign",),
    "spill": ("put",),
    "attachments": ("put", "get"),
    "sandbox": ("start", "run", "aclose"),
    "log": ("append", "read"),
}


def judge(**options: object) -> None:
    """Judge options of `ToolRuntime` and of its methods by their names.

    Raises:
        MisuseError: Some of them are of another kind; all of these are listed.
    """
    found = [fault for name, value in options.items() if (fault := _fault(name, value))]
    if found:
        raise MisuseError("; ".join(found))


def several(name: str, value: Iterable[Any]) -> tuple[Any, ...]:
    """The members of an option that takes a list.

    Raises:
        MisuseError: It is none.
    """
    given: Any = value
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise MisuseError(f"{name} takes a list, not {_kind(value)}")
    return tuple(value)


def by_number(name: str, value: Mapping[int, Any] | None) -> Mapping[int, Any]:
    """An option that takes a dict.

    Raises:
        MisuseError: It is none.
    """
    given: Any = {} if value is None else value
    if not isinstance(given, Mapping):
        raise MisuseError(f"{name} takes a dict by the numbers of calls, not {_kind(value)}")
    return cast("Mapping[int, Any]", given)


def text(name: str, value: object) -> str:
    """A text.

    Raises:
        MisuseError: It is none.
    """
    if not isinstance(value, str):
        raise MisuseError(f"{name} must be text, not {_kind(value)}")
    return value


def refuse_above(limits: Limits, ceilings: Limits) -> None:
    """Refuse limits of one run that a waiting guest cannot be given any more.

    Raises:
        MisuseError: Memory or processor time above that of the runtime.
    """
    for name, option in (("memory_bytes", "--memory-mib"), ("cpu_s", "--cpu-s")):
        if getattr(limits, name) > getattr(ceilings, name):
            raise MisuseError(
                f"{name}={getattr(limits, name)} of this run is above the runtime's"
                f" {getattr(ceilings, name)}: raise ToolRuntime(limits=Limits({name}=...)),"
                f" or {option} at the command line"
            )


def _fault(name: str, value: object) -> str:
    if name in _WORDS:
        return "" if value in _WORDS[name] else f"{name} is {_listed(name)}, not {value!r}"
    if name == "max_parallel_sub_calls":
        is_count = type(value) is int and value > 0
        return "" if is_count else f"{name} is a number from 1 on, not {value!r}"
    if value is None or (name == "log" and isinstance(value, (str, Path))):
        return ""
    if name in _CLASSES:
        wanted = _CLASSES[name]
        if isinstance(value, wanted):
            return ""
        return f"{name} takes a {wanted.__name__}, not {_kind(value)}"
    methods = _METHODS[name]
    if not isinstance(value, type) and all(hasattr(value, method) for method in methods):
        return ""
    kind = "a path, or an object" if name == "log" else "an object"
    return f"{name} takes {kind} with {_and(methods)}, not {_kind(value)}"


def _listed(name: str) -> str:
    return " or ".join(map(repr, _WORDS[name]))


def _and(methods: Iterable[str]) -> str:
    return " and ".join(f"{method}()" for method in methods)


def _kind(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
