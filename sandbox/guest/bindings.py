"""The host's functions as a program sees them: callables that map, check and send their arguments.

What is refused here is only refused early and in good words; the host checks everything again.
Source: the calling convention of the generated SDK.
"""

from __future__ import annotations

import difflib
import inspect
from asyncio import events
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

from codemode.sandbox.bridge.errors import TooManyError, WireError
from codemode.sandbox.bridge.messages import Fault, Reply
from codemode.sandbox.bridge.wire import unpack_trusted
from codemode.sandbox.guest.errors import GuestCallError
from codemode.sandbox.guest.handles import answered, make_handle
from codemode.sandbox.guest.hidden import Slot
from codemode.sandbox.guest.port import encode
from codemode.sandbox.guest.records import RECORDS
from codemode.sandbox.guest.scheduler import SCHEDULER
from codemode.sandbox.limits import passed
from codemode.sandbox.marks import override
from codemode.sandbox.program import Parameter, Signature
from codemode.sandbox.values import InvalidValueError, snapshot

#: What one positional argument may be to stand for all of them.
_PLAIN: Final[frozenset[type]] = RECORDS | {dict}


class Caller:
    """What all bindings of a program share.

    Attributes:
        error: The class that failing calls raise.
        filename: The program's own, to find its line in a stack.
    """

    __slots__ = ("error", "filename")

    def __init__(self, error: type[GuestCallError], filename: str) -> None:
        self.error = error
        self.filename = filename

    def refuse(self, name: str, message: str, code: str = "INVALID_ARGS") -> GuestCallError:
        """The error for a call that does not leave the guest; the host is told of it."""
        SCHEDULER.port.notice(f"{name}: {message}"[:500])
        return self.error(name, message, code)

    def line(self) -> int | None:
        """The program's line that makes the call."""
        frame = inspect.currentframe()
        while frame is not None:
            if frame.f_code.co_filename == self.filename:
                return frame.f_lineno
            frame = frame.f_back
        return None

    def encode(self, name: str, arguments: dict[str, Any]) -> bytes:
        """The arguments as they cross the bridge."""
        limits = SCHEDULER.port.limits
        try:
            packed = encode(arguments)
        except TooManyError as error:
            raise self.refuse(name, f"the arguments of {name} have {error}") from None
        except WireError:
            try:
                snapshot(arguments, freeze=False, max_depth=limits["nesting"], records=RECORDS)
            except InvalidValueError as error:
                raise self.refuse(name, f"the arguments of {name} are not JSON: {error}") from None
            raise self.refuse(name, f"the arguments of {name} are nested too deeply") from None
        if len(packed) > limits["argument_bytes"]:
            raise self.refuse(name, passed("argument_bytes", limits["argument_bytes"]), "LIMIT")
        return packed


class _Inside:
    """What a function of the host's is made of; its signature is read when it is needed."""

    def __init__(self, caller: Caller, path: str, packed: bytes | None, label: str) -> None:
        self.caller = caller
        self.path = path
        self.packed = packed
        self.name = label or path  # what errors name it by

    @cached_property
    def signature(self) -> Signature | None:
        return None if self.packed is None else read_signature(self.packed)

    def open(self, answer: Reply | Fault) -> Any:
        if isinstance(answer, Reply):
            return answer.value
        raise self.caller.error(self.name, answer.message, answer.code)

    def usage(self) -> str:
        if self.signature is None:
            return f"Call it as {self.path}(name=value, ...)"
        shown = [
            f"{parameter.name}" if parameter.required else f"{parameter.name}=..."
            for parameter in self.signature.parameters
        ]
        return f"Call it as {self.path}({', '.join(shown)})"


class Tool:
    """One function of the host's. Only `make_tool` makes one that does anything."""

    __slots__ = ("__weakref__", "_inside")

    @property
    def __name__(self) -> str:
        return _inside.get(self).path.rpartition(".")[2]

    @property
    @override
    def __doc__(self) -> str:  # type: ignore[override]  # of each tool, not of the class
        signature = _inside.get(self).signature
        return signature.doc if signature else ""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call it: the value in plain code, a handle while an event loop runs the caller."""
        me = _inside.get(self)
        caller = me.caller
        try:
            arguments = arrange(me.signature, args, kwargs)
        except ValueError as error:
            said = f"{error}" if f"{error}".endswith("?") else f"{error}."
            raise caller.refuse(me.name, f"{said} {me.usage()}") from None
        packed = caller.encode(me.name, arguments)
        line = caller.line()
        if events._get_running_loop() is not None:
            return make_handle(me.path, line, packed, me.open)
        return answered(me.open(SCHEDULER.call(me.path, line, packed)))

    def usage(self) -> str:
        """How it is called, in one line."""
        return _inside.get(self).usage()

    @override
    def __repr__(self) -> str:
        return f"<{self.usage().removeprefix('Call it as ')}>"

    def __copy__(self) -> Tool:
        return self

    def __deepcopy__(self, _: object) -> Tool:
        return self


_inside: Final[Slot[_Inside]] = Slot(Tool, "_inside")


def make_tool(caller: Caller, path: str, packed: bytes | None, label: str = "") -> Tool:
    """The function of the host's at `path`."""
    tool = Tool()
    _inside.put(tool, _Inside(caller, path, packed, label))
    return tool


def arrange(
    signature: Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The arguments object that a call means.

    Raises:
        ValueError: Too many, doubled, missing or unknown arguments, in words for the author.
    """
    if signature is None:
        if len(args) == 1 and type(args[0]) in _PLAIN and not kwargs:
            return dict(args[0])
        if args:
            raise ValueError("it takes keyword arguments only")
        return kwargs
    parameters, keys = signature.parameters, signature.keys
    if args and _is_arguments_object(args, parameters, keys):
        kwargs = {**args[0], **kwargs}
        args = ()
    if len(args) > len(parameters):
        raise ValueError(f"it takes {len(parameters)} arguments, not {len(args)}")
    arguments: dict[str, Any] = {
        parameter.key: value for parameter, value in zip(parameters, args, strict=False)
    }
    for name, value in kwargs.items():
        key = keys.get(name)
        if key is None:
            if signature.is_closed:
                raise ValueError(f"it has no parameter {name!r}{_near(name, parameters)}")
            key = name
        if key in arguments:
            raise ValueError(f"{name!r} is given twice")
        arguments[key] = value
    missing = [one.name for one in parameters if one.required and one.key not in arguments]
    if missing:
        raise ValueError(f"missing: {', '.join(map(repr, missing))}")
    return arguments


def _is_arguments_object(
    args: tuple[Any, ...], parameters: tuple[Parameter, ...], keys: Mapping[str, str]
) -> bool:
    """Whether one positional dict is meant as all of the arguments."""
    if len(args) != 1 or type(args[0]) not in _PLAIN or not parameters:
        return False
    return not parameters[0].is_object and all(type(key) is str and key in keys for key in args[0])


def _near(name: str, parameters: tuple[Parameter, ...]) -> str:
    found = difflib.get_close_matches(name, [parameter.name for parameter in parameters], n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def read_signature(packed: bytes) -> Signature:
    """The signature that a row of `Run.bindings` holds."""
    parameters, is_closed, doc = unpack_trusted(packed, dict)
    return Signature(
        parameters=tuple(
            Parameter(key=key, name=name, required=required, is_object=is_object)
            for key, name, required, is_object in parameters
        ),
        is_closed=is_closed,
        doc=doc,
    )
