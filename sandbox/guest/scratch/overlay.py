"""Where the standard library meets the tree: the names that are replaced in a guest.

The standard library looks its functions up in the namespaces of `os`, `io` and `builtins` when it
runs; replacing them there puts the tree under all of it. What kept a function elsewhere is listed.
The import system has references of its own and is left alone; so is the machinery of the sandbox.
Never imports a module for the sake of replacing something in it.
"""

from __future__ import annotations

import builtins
import grp
import io
import ntpath
import os
import posixpath
import pwd
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import Any, Final, NamedTuple

from codemode.sandbox.guest.scratch import calls, files, machine, scan
from codemode.sandbox.guest.scratch.temporary import NAMES

_OURS: Final = "codemode.sandbox.guest.scratch"
_CALLS: Final = """
    stat lstat access listdir readlink statvfs getcwd getcwdb chdir umask mkdir rmdir unlink remove
    rename replace symlink link chmod chown utime truncate open close closerange read write pread
    pwrite lseek fstat fstatvfs fchmod fchdir ftruncate dup fsync fdatasync sync isatty
"""
STREAMS: Final[Mapping[str, object]] = {
    "open": files.open,
    "open_code": files.open_code,
    "FileIO": files.FileIO,
}


class Replacement(NamedTuple):
    """New values for attributes of one module, class or function."""

    owner: Any
    values: Mapping[str, object]


Plan = tuple[Replacement, ...]


class _PathFunctions:
    """What a path module offers, without being a module."""

    def __init__(self, module: ModuleType) -> None:
        for name, value in vars(module).items():
            if not isinstance(value, ModuleType) and not name.startswith("__"):
                setattr(self, name, value)


@cache
def os_names() -> dict[str, object]:
    """Everything of `os` that is replaced: the refusals, then the machine, then the tree."""
    names = machine.refusals() | machine.OS
    names |= {name: getattr(calls, name) for name in _CALLS.split()}
    names |= {"scandir": scan.scandir, "DirEntry": scan.DirEntry}
    names |= {"supports_dir_fd": set[object](), "supports_effective_ids": {calls.access}}
    names["supports_follow_symlinks"] = {
        calls.stat, calls.access, calls.chmod, calls.chown, calls.utime, calls.link
    }  # fmt: skip
    names["supports_fd"] = {
        calls.stat, calls.listdir, scan.scandir, calls.chdir, calls.chmod, calls.chown,
        calls.utime, calls.truncate, calls.statvfs,
    }  # fmt: skip
    return {name: value for name, value in names.items() if hasattr(os, name)}


def plan() -> Plan:
    """Everything to replace in what is imported now. Costs milliseconds: once, before the fork."""
    return (
        Replacement(os, os_names()),
        Replacement(io, STREAMS),
        Replacement(builtins, {"open": files.open}),
        Replacement(pwd, machine.PWD),
        Replacement(grp, machine.GRP),
        *_captures(),
        *_path_modules(),
    )


def _has_no_descriptor(_: object) -> bool:
    """What numpy is told of a file of the tree, whose number means another to its C code."""
    return False


#: What modules took from `os` and `builtins` when they were imported, or decided then.
_CAPTURED: Final[Mapping[str, Mapping[str, object]]] = {
    "bz2": {"_builtin_open": files.open},
    "pathlib._os": {"_ficlone": None, "_copy_file_range": None, "_sendfile": None},
    "numpy.lib._format_impl": {"isfileobj": _has_no_descriptor},
    "numpy.lib.format": {"isfileobj": _has_no_descriptor},
    "tarfile": {"bltn_open": files.open},
    "tokenize": {"_builtin_open": files.open},
    "platform": {"_uname_cache": None},
    "shutil": {
        "_use_fd_functions": False,
        "_USE_CP_SENDFILE": False,
        "_USE_CP_COPY_FILE_RANGE": False,
    },
    "tempfile": {"_name_sequence": NAMES, "tempdir": None, "_rmtree_use_dir_fd": False},
}


def _captures() -> Iterable[Replacement]:
    for module, values in _CAPTURED.items():
        if module in sys.modules:
            held = vars(sys.modules[module])
            yield Replacement(sys.modules[module], {k: v for k, v in values.items() if k in held})
    shutil: Any = sys.modules.get("shutil")
    if hasattr(shutil, "_rmtree_impl"):  # since 3.14 it is chosen at the import
        yield Replacement(shutil, {"_rmtree_impl": shutil._rmtree_unsafe})
    globber = getattr(sys.modules.get("glob"), "_StringGlobber", None)
    if hasattr(globber, "lstat"):  # 3.13 alone
        functions = {"lstat": staticmethod(calls.lstat), "scandir": staticmethod(scan.scandir)}
        yield Replacement(globber, functions)
    openers = getattr(sys.modules.get("numpy.lib._datasource"), "_file_openers", None)
    if hasattr(openers, "_file_openers"):
        yield Replacement(openers, {"_file_openers": {None: files.open}})
    closer: object = getattr(sys.modules.get("tempfile"), "_TemporaryFileCloser", None)
    for method in () if closer is None else vars(closer).values():
        defaults: tuple[object, ...] = getattr(method, "__defaults__", None) or ()
        if os.unlink in defaults:
            swapped = (calls.unlink if value is os.unlink else value for value in defaults)
            yield Replacement(method, {"__defaults__": tuple(swapped)})


def _path_modules() -> Iterable[Replacement]:
    """The path modules that pathlib's classes show as an attribute: their functions alone."""
    if "pathlib" not in sys.modules:
        return
    pathlib: Any = sys.modules["pathlib"]
    posix, nt = _PathFunctions(posixpath), _PathFunctions(ntpath)
    home = sys.modules[pathlib.PurePath.__module__]
    if hasattr(home, "_PosixFlavour"):
        yield Replacement(home._PosixFlavour, {"pathmod": posix})
        yield Replacement(home._WindowsFlavour, {"pathmod": nt})
        return
    name = "parser" if hasattr(pathlib.PurePath, "parser") else "_flavour"
    yield Replacement(pathlib.PurePath, {name: posix})
    yield Replacement(pathlib.PurePosixPath, {name: posix})
    yield Replacement(pathlib.PureWindowsPath, {name: nt})
    # Where a patch release imports them is its own affair: in the module, or in a class.
    modules = {"posixpath": posix, "ntpath": nt}
    for owner in (home, *(one for one in vars(home).values() if isinstance(one, type))):
        if shown := {name: modules[name] for name in modules.keys() & vars(owner).keys()}:
            yield Replacement(owner, shown)


def current(plan: Plan) -> Plan:
    """The plan that would undo `plan`."""
    return tuple(Replacement(owner, _values(owner, values)) for owner, values in plan)


def _values(owner: object, names: Iterable[str]) -> dict[str, object]:
    own: dict[str, object] = vars(owner)  # where a static method still is one
    return {name: own.get(name, getattr(owner, name)) for name in names}


def apply(plan: Plan) -> None:
    """Put the replacements in place."""
    for owner, values in plan:
        if isinstance(owner, ModuleType):
            vars(owner).update(values)
            continue
        for name, value in values.items():
            setattr(owner, name, value)


def keep_real() -> None:
    """Give the machinery's own modules an `os` of their own, which is never replaced."""
    real = ModuleType("os")
    vars(real).update(vars(os))
    for name, module in list(sys.modules.items()):
        is_ours = name.startswith("codemode.") and not name.startswith(_OURS)
        if is_ours and vars(module).get("os") is os:
            vars(module)["os"] = real
