"""What the fork server makes once and every guest is a copy of.

`prepare` may import, open files and take its time; `settle` comes when no file can be opened any
more; `warm` and `serve` run in the jail and may do nothing but talk to the host.
"""

from __future__ import annotations

import gc
import importlib
import linecache
import string
import traceback
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from codemode.sandbox.guest import lean  # isort: skip  # before all that it keeps out
from codemode.sandbox.guest import chance, console, executors, loop, program, scratch, threads
from codemode.sandbox.guest.immortal import immortalize
from codemode.sandbox.guest.port import Port
from codemode.sandbox.guest.preload import preload
from codemode.sandbox.guest.providers import provide
from codemode.sandbox.guest.rehearsal import rehearse
from codemode.sandbox.guest.sealed import seal
from codemode.sandbox.language.compile import compile_program
from codemode.sandbox.language.namespace import make_builtins_ahead
from codemode.sandbox.language.ownership import FOREIGN, is_of_package
from codemode.sandbox.language.views import Views, build_views

#: Made by `prepare`; there is one image in a process.
_views: Views | None = None
#: Made here and not in each guest, which would have to copy the memory that this writes to.
_port: Final = Port()

#: So often does the interpreter run a function before it has settled on the bytecode for it, which
#: would be written, and so copied, in every guest.
_TIMES: Final = 10


def prepare(config: Mapping[str, Any]) -> None:
    """Import, replace, build and warm whatever programs may need.

    Args:
        config: `packages`: further packages that programs may import, with only the kernel as
            their boundary; `modules`: pure modules of the host's.
    """
    global _views
    for name in config.get("packages", ()):
        preload(name)
    for name in config.get("modules", ()):
        importlib.import_module(name)
    console.install()
    threads.install()
    executors.install()
    chance.install()
    loop.install()
    scratch.prepare()
    _views = build_views(
        provide, packages=config.get("packages", ()), modules_=config.get("modules", ())
    )
    _load_ahead()
    lean.reveal()


def settle() -> None:
    """Bring the image into the state in which guests find it.

    Raises:
        RuntimeError: A small program cannot run in it.
    """
    scratch.cover()
    seal(kind for kind in FOREIGN if not is_of_package(kind))
    warm()
    nothing = compile_program("")
    for _ in range(_TIMES):  # a call that has not settled takes from how deep a program may recurse
        nothing.start({})


def mature() -> None:
    """Let guests share more of the memory that they inherit."""
    for _ in range(_TIMES):
        warm()
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    immortalize()


def warm() -> None:
    """Go through a small program, so that its pages are the guest's own when one comes."""
    assert _views is not None  # noqa: S101  # the fork server prepares before it forks
    rehearse(_views)
    scratch.refurnish()
    make_builtins_ahead(_views)


def serve(fd: int) -> NoReturn:
    """Run the one program that comes on `fd`, and end the process."""
    assert _views is not None  # noqa: S101  # the fork server prepares before it forks
    _port.fd = fd
    program.run_program(_port, _views)


def _load_ahead() -> None:
    """Touch what is loaded or computed at its first use: the jail has no files."""
    try:
        raise ValueError("warm")
    except ValueError as error:
        traceback.TracebackException.from_exception(error).format()
    linecache.clearcache()
    string.Template("").safe_substitute()  # of 3.14 it makes its pattern then, on the class
