"""The engine as an adapter of the program measurement: `run` and `compiles`.

Programs run in the real sandbox through the public `Sandbox`. Tools may be any Python objects: a
prelude in the program gives each function, also in namespaces, under its name, and every use of
it is one call of the single binding `measured_tool`, so that positional arguments, exceptions by
type and objects as answers all cross the boundary as JSON. A tool that is itself an object with
behaviour of its own is no function of the host's, and is defined in the program.
"""

from __future__ import annotations

import atexit
import importlib.util
import inspect
import operator
import re
import sys
from collections.abc import Callable, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from anyio.from_thread import start_blocking_portal

from codemode import Limits, Sandbox
from codemode.sandbox.language import PolicyRefusal, build_views, compile_program
from codemode.sandbox.program import Binding, Call, Outcome

#: The tools come as source text.
RAW_TOOLS: Final = True

LIMITS: Final = Limits(wall_s=9, cpu_s=9, memory_bytes=1 << 30, output_bytes=1 << 24, calls=10_000)
PACKAGES: Final = tuple(name for name in ("numpy", "pandas") if importlib.util.find_spec(name))

_PLAIN: Final = (type(None), bool, int, float, str)

_PRELUDE: Final = """
import asyncio as _measure_asyncio
import dataclasses as _measure_dataclasses
import types as _measure_types

def _measure_encode(value):
    if type(value) is _MeasureRemote:
        return {"ref": object.__getattribute__(value, "_measure_id")}
    if type(value) is dict:
        return {"dict": [[_measure_encode(k), _measure_encode(v)] for k, v in value.items()]}
    if type(value) in (list, tuple, set):
        return {type(value).__name__: [_measure_encode(item) for item in value]}
    return {"value": value}

def _measure_decode(data):
    (kind, value), = data.items()
    if kind == "ref":
        return _MeasureRemote(value)
    if kind == "dict":
        return {_measure_decode(k): _measure_decode(v) for k, v in value}
    if kind in ("list", "tuple", "set"):
        make = {"list": list, "tuple": tuple, "set": set}[kind]
        return make(_measure_decode(item) for item in value)
    if kind == "error":
        raise _MEASURE_ERRORS.get(value[0], RuntimeError)(value[1])
    if kind == "future":
        return _measure_asyncio.ensure_future(_measure_settle(value))
    return value

async def _measure_settle(data):
    return _measure_decode(data)

def _measure_use(what, operation, *args, **kwargs):
    encoded = {"args": _measure_encode(list(args)), "kwargs": _measure_encode(kwargs)}
    answer = measured_tool(what=what, operation=operation, **encoded)
    if not isinstance(answer, dict):
        return _measure_asyncio.ensure_future(_measure_wait(answer))
    return _measure_decode(answer)

async def _measure_wait(handle):
    value = _measure_decode(await handle)
    return await value if _measure_asyncio.isfuture(value) else value

_MEASURE_ERRORS = {error.__name__: error for error in (
    ValueError, TypeError, KeyError, RuntimeError, AttributeError, AssertionError, IndexError,
    Exception, NotImplementedError, LookupError, ZeroDivisionError, StopIteration,
    _measure_dataclasses.FrozenInstanceError)}

class _MeasureRemote:
    def __init__(self, number):
        object.__setattr__(self, "_measure_id", number)
    def __call__(self, *args, **kwargs):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "call", *args, **kwargs)
    def __getattr__(self, name):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "getattr", name)
    def __setattr__(self, name, value):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "setattr", name, value)
    def __getitem__(self, key):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "getitem", key)
    def __iter__(self):
        return iter(_measure_use(object.__getattribute__(self, "_measure_id"), "list"))
    def __len__(self):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "len")
    def __bool__(self):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "bool")
    def __contains__(self, item):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "contains", item)
    def __eq__(self, other):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "eq", other)
    def __lt__(self, other):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "lt", other)
    def __add__(self, other):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "add", other)
    def __str__(self):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "str")
    def __repr__(self):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "repr")
    def __format__(self, spec):
        return _measure_use(object.__getattribute__(self, "_measure_id"), "format", spec)
    def __hash__(self):
        return object.__getattribute__(self, "_measure_id")
"""

_FUNCTION: Final = """
def _measure_function(*args, **kwargs):
    return _measure_use({number}, "call", *args, **kwargs)
{path} = _measure_function
"""

_OPERATIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "call": lambda what, *args, **kwargs: what(*args, **kwargs),
    "getattr": getattr,
    "setattr": setattr,
    "getitem": operator.getitem,
    "list": list,
    "len": len,
    "bool": bool,
    "contains": operator.contains,
    "eq": operator.eq,
    "lt": operator.lt,
    "add": operator.add,
    "str": str,
    "repr": repr,
    "format": format,
}


class Tools:
    """The host's side: objects by number, and the one binding that uses them."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._objects: list[Any] = []
        self._named = dict(named)

    def prelude(self) -> str:
        """Program text that defines every tool under its name."""
        return _PRELUDE + "".join(
            self._definition(name, value) for name, value in self._named.items()
        )

    def _definition(self, path: str, value: Any) -> str:
        if inspect.isfunction(value) or inspect.isbuiltin(value):
            self._objects.append(value)
            return _FUNCTION.format(path=path, number=len(self._objects) - 1)
        if isinstance(value, SimpleNamespace):
            inner = (self._definition(f"{path}.{name}", item) for name, item in vars(value).items())
            return f"\n{path} = _measure_types.SimpleNamespace()\n" + "".join(inner)
        return f"\n{path} = _measure_decode({self._encode(value)!r})\n"

    def binding(self) -> Binding:
        """The binding `measured_tool`."""
        return Binding(handler=self._answer)

    async def _answer(self, call: Call) -> Any:
        arguments = call.arguments
        what = self._objects[int(str(arguments["what"]))]
        try:
            args, kwargs = self._decode(arguments["args"]), self._decode(arguments["kwargs"])
            value = _OPERATIONS[str(arguments["operation"])](what, *args, **kwargs)
            if inspect.isawaitable(value):
                return {"future": await self._settled(value)}
            return self._encode(value)
        except Exception as error:  # noqa: BLE001  # a tool may raise anything; the program gets it
            return _error(error)

    async def _settled(self, value: Any) -> Any:
        try:
            return self._encode(await value)
        except Exception as error:  # noqa: BLE001  # as above
            return _error(error)

    def _encode(self, value: Any) -> dict[str, Any]:
        if type(value) in _PLAIN:
            return {"value": value}
        if type(value) is dict:
            return {
                "dict": [[self._encode(key), self._encode(item)] for key, item in value.items()]
            }
        if type(value) in (list, tuple, set):
            return {type(value).__name__: [self._encode(item) for item in value]}
        self._objects.append(value)
        return {"ref": len(self._objects) - 1}

    def _decode(self, data: Any) -> Any:
        ((kind, value),) = data.items()
        if kind == "ref":
            return self._objects[value]
        if kind == "dict":
            return {self._decode(key): self._decode(item) for key, item in value}
        if kind == "value":
            return value
        return {"list": list, "tuple": tuple, "set": set}[kind](map(self._decode, value))


def _error(error: Exception) -> dict[str, Any]:
    message = error.args[0] if isinstance(error, KeyError) and error.args else error
    return {"error": [type(error).__name__, str(message)]}


class Engine:
    """One sandbox for each set of packages, on an event loop of its own."""

    def __init__(self) -> None:
        self._portal = start_blocking_portal()
        self._call = self._portal.__enter__().call
        self._sandboxes: dict[tuple[str, ...], Sandbox] = {}
        atexit.register(self.close)

    def run(self, code: str, bindings: Mapping[str, Binding]) -> Outcome:
        """Run one program, with the packages that its text imports."""
        wanted = tuple(
            name
            for name in PACKAGES
            if re.search(rf"^\s*(?:import|from)\s+{name}\b", code, re.MULTILINE)
        )
        return self._call(self._run, wanted, code, bindings)

    async def _run(
        self, packages: tuple[str, ...], code: str, bindings: Mapping[str, Binding]
    ) -> Outcome:
        sandbox = self._sandboxes.get(packages)
        if sandbox is None:
            limits = LIMITS if not packages else Limits(wall_s=9, cpu_s=9, memory_bytes=2 << 30)
            sandbox = self._sandboxes[packages] = Sandbox(
                limits=limits, packages=packages, spares=1
            )
            await sandbox.start()
        return await sandbox.run(code, bindings=bindings)

    async def _close(self) -> None:
        for sandbox in self._sandboxes.values():
            await sandbox.aclose()

    def close(self) -> None:
        """Stop the sandboxes and the loop."""
        self._call(self._close)
        self._portal.__exit__(None, None, None)


_engine: list[Engine] = []


def _is_tool(name: str, value: Any) -> bool:
    return not name.startswith("_") and not isinstance(value, ModuleType)


def _is_bindable(value: Any) -> bool:
    """Whether a tool is a function, data, a class (which programs get as data) or a namespace."""
    return (callable(value) and not hasattr(type(value), "__await__")) or isinstance(
        value, (*_PLAIN, list, dict, tuple, set, SimpleNamespace, type)
    )


def run(code: str, tools: str | None = None, async_top: bool = False) -> tuple[bool, str, str]:
    """Run one program; whether it succeeded, its output, and its error's text."""
    if not _engine:
        _engine.append(Engine())
    bindings: dict[str, Binding] = {}
    if tools:
        module = ModuleType("tools")
        sys.modules["tools"] = module
        exec(compile(tools, "<tools>", "exec"), vars(module))  # the measurement's own text
        named = {name: value for name, value in vars(module).items() if _is_tool(name, value)}
        if all(map(_is_bindable, named.values())):
            host = Tools(named)
            bindings["measured_tool"] = host.binding()
            tools = host.prelude()
        code = re.sub(r"(?m)^from __future__ .*$", "", f"{tools}\n{code}")
        code = f"from __future__ import annotations\n{code}"
    outcome = _engine[0].run(code, bindings)
    return outcome.failure is None, outcome.stdout, _describe(outcome)


def _describe(outcome: Outcome) -> str:
    failure = outcome.failure
    if failure is None:
        return ""
    if failure.kind == "policy":
        return f"REFUSED: {failure.message}"
    last = failure.traceback.strip().splitlines()[-1:] or [failure.message]
    return (
        last[0] if failure.kind in ("exception", "syntax") else f"{failure.kind}: {failure.message}"
    )


_names: list[frozenset[str]] = []


def compiles(code: str) -> tuple[bool, list[str]]:
    """Whether the language policy and the interpreter accept a program; else all that they say."""
    if not _names:
        _names.append(build_views().foreign_names)
    try:
        compile_program(code, foreign_names=_names[0])
    except PolicyRefusal as refused:
        return False, [str(refusal) for refusal in refused.refusals]
    except SyntaxError as error:
        return False, [f"SyntaxError: {error}"]
    return True, []
