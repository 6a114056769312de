"""What program-visible modules offer that is the guest's own: `sys`, and the file modules."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from codemode.sandbox.guest import recursion, scratch

#: Facts of the interpreter, and nothing that leads to a frame, a module or a path of the host.
_SYS: Final = """
    version version_info platform byteorder maxsize maxunicode implementation hexversion
    api_version copyright float_info float_repr_style int_info hash_info thread_info stdout stderr
    stdin argv exit getsizeof getdefaultencoding
    getfilesystemencoding getrefcount intern is_finalizing exc_info exception
    get_int_max_str_digits set_int_max_str_digits builtin_module_names stdlib_module_names
    getswitchinterval getallocatedblocks getfilesystemencodeerrors platlibdir dont_write_bytecode
"""


def open_with_codec(
    filename: Any,
    mode: str = "r",
    encoding: str | None = None,
    errors: str = "strict",
    buffering: int = -1,
) -> Any:
    """As `codecs.open`: with an encoding, text whose ends of lines stay as they are."""
    if encoding is None:
        return open(filename, mode, buffering)  # the run's own, as in what follows
    return open(filename, mode.replace("b", ""), encoding=encoding, errors=errors, newline="")


open_with_codec.__name__ = open_with_codec.__qualname__ = "open"

_ASYNCIO: Final = """
    to_thread get_event_loop new_event_loop set_event_loop timeout_at wrap_future
    run_coroutine_threadsafe Runner QueueShutDown
"""
_THREADING: Final = """
    Thread Timer current_thread main_thread enumerate active_count get_ident get_native_id local
    Lock RLock Condition Event Semaphore BoundedSemaphore Barrier BrokenBarrierError ThreadError
    TIMEOUT_MAX currentThread activeCount stack_size
"""


def _named(module: ModuleType, names: str) -> dict[str, Any]:
    """Those of the names that this version's module has."""
    return {name: getattr(module, name) for name in names.split() if hasattr(module, name)}


#: What is safe only because the guest has replaced it, and so stands on no library's list.
_REPLACED: Final[Mapping[str, Callable[[], Mapping[str, Any]]]] = {
    "asyncio": lambda: _named(asyncio, _ASYNCIO),
    "threading": lambda: _named(threading, _THREADING),
    "time": lambda: _named(time, "sleep thread_time thread_time_ns"),
    "uuid": lambda: _named(uuid, "uuid1"),
}


def provide(module: str) -> Mapping[str, Any] | None:
    """The guest's own names for one module's view; None when it has none.

    Preconditions: the consoles are installed, and the scratch tree is prepared.
    """
    if module == "sys":
        return {
            **_named(sys, _SYS),
            "implementation": SimpleNamespace(**vars(sys.implementation)),
            "path": [],
            "executable": "",
            **dict.fromkeys(("prefix", "base_prefix", "exec_prefix", "base_exec_prefix"), ""),
            "orig_argv": [],
            "flags": sys.flags,
            "warnoptions": [],
            "getrecursionlimit": recursion.get_limit,
            "setrecursionlimit": recursion.set_limit,
        }
    if module == "codecs":
        return {"open": open_with_codec}
    if module in _REPLACED:
        return _REPLACED[module]()
    return scratch.names(module) if module in scratch.OFFERED else None
