"""What is replaced, in whose namespace, and that nothing kept a real function elsewhere."""

from __future__ import annotations

import builtins
import io
import ntpath
import os
import pathlib
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import cast

import pytest

from codemode.sandbox.guest.scratch import OFFERED, files, names, overlay, run

pytestmark = pytest.mark.spec("SANDBOX 5.5")

#: Modules that speak to the kernel for themselves: no program's calls pass through them.
_OWN_BUSINESS = {
    "_io", "posix", "os", "io", "builtins", "subprocess", "random", "multiprocessing",
    "concurrent", "pty", "_pytest", "pytest", "hypothesis", "pluggy",
}  # fmt: skip
_PURE = {"_path_normpath", "_path_splitroot", "_path_splitroot_ex", "fspath", "urandom"}


def _real_functions() -> dict[int, str]:
    replaced = {id(getattr(os, name)): name for name in overlay.os_names() if name not in _PURE}
    found = {
        key: name
        for key, name in replaced.items()
        if isinstance(getattr(os, name), BuiltinFunctionType)
    }
    return found | {id(builtins.open): "open", id(io.FileIO): "FileIO"}


def _held_by(module: ModuleType) -> Iterator[tuple[str, object]]:
    """Everything that the module, its classes and its functions' defaults hold."""
    for name, value in vars(module).items():
        yield name, value
        members = vars(value).items() if isinstance(value, type) else ((name, value),)
        for member, inner in members:
            function = getattr(inner, "__func__", inner)
            yield f"{name}.{member}", function
            if isinstance(function, FunctionType):
                for default in (
                    *(function.__defaults__ or ()),
                    *(function.__kwdefaults__ or {}).values(),
                ):
                    yield f"{name}.{member}()", default


def test_no_offered_module_kept_a_function_that_reaches_the_kernel() -> None:
    for name in (
        *OFFERED,
        "csv",
        "json",
        "logging",
        "codecs",
        "configparser",
        "tokenize",
        "linecache",
    ):
        import_module(name)
    real = _real_functions()
    standard = set(sys.stdlib_module_names) - _OWN_BUSINESS
    plan = overlay.plan()
    before = overlay.current(plan)
    overlay.apply(plan)
    try:
        kept = [
            f"{module}.{place} is os.{real[id(value)]}"
            for module, loaded in list(sys.modules.items())
            if module.split(".")[0] in standard and not module.startswith(("importlib", "_frozen"))
            for place, value in _held_by(loaded)
            if id(value) in real
        ]
    finally:
        overlay.apply(before)
    assert kept == []


@pytest.mark.spec("SANDBOX 6.6")
def test_no_public_name_below_a_view_leads_to_a_module(scratch: object) -> None:
    found: list[str] = []
    seen: set[int] = set()
    todo: list[tuple[str, object]] = [(module, names(module)) for module in OFFERED]
    while todo:
        place, value = todo.pop()
        if isinstance(value, ModuleType):
            found.append(place)
        elif id(value) not in seen and place.count(".") < 5:
            seen.add(id(value))
            named = isinstance(value, dict)
            public = cast("dict[str, object]", value).items() if named else _public(value)
            todo += [(f"{place}.{name}", inner) for name, inner in public]
    assert found == []


def _public(value: object) -> Iterator[tuple[str, object]]:
    for name in dir(value):
        if not name.startswith("_"):
            yield name, getattr(value, name, None)


def test_taking_the_tree_away_restores_everything() -> None:
    plan = overlay.plan()
    before = overlay.current(plan)
    with run.installed(run.build(max_bytes=1, max_files=1, inputs={})):
        assert builtins.open is files.open
        assert dict(os.environ) == {}
    assert overlay.current(plan) == before
    assert os.getpid() > 0
    assert "PATH" in os.environ


def test_the_views_hold_no_module_and_no_real_file_function() -> None:
    real = _real_functions()
    for module in OFFERED:
        view = names(module)
        assert not [name for name, value in view.items() if isinstance(value, ModuleType)]
        assert not [name for name, value in view.items() if id(value) in real]
    assert names("builtins") == {"open": files.open}
    with pytest.raises(KeyError):
        names("socket")


def test_every_offered_name_exists_on_some_supported_version() -> None:
    later = {
        "os": {"process_cpu_count", "isdevdrive"},
        "os.path": {"isdevdrive", "isjunction", "isreserved", "splitroot"},
        "pathlib": {"UnsupportedOperation"},
        "glob": {"translate"},
        "shutil": {"ExecError"},  # until 3.13
    }
    for module, offered in OFFERED.items():
        assert set(offered.split()) - set(names(module)) <= later.get(module, set())


def test_pathlib_shows_no_module(scratch: object) -> None:
    shown = [
        getattr(cls, name) for cls in (pathlib.Path, pathlib.PureWindowsPath) for name in dir(cls)
    ]
    flavours = [getattr(value, "pathmod", None) for value in shown]
    assert not [value for value in (*shown, *flavours) if isinstance(value, ModuleType)]


_GUEST = """
import os, sys
from codemode.sandbox.guest import port, scratch
scratch.prepare()
assert os.path.exists("/proc/self")
scratch.cover()
scratch.install(max_bytes=100, max_files=10, inputs={"a": b"1"}, seed=1)
assert os.listdir("/") == ["dev", "home", "tmp", "scratch"], os.listdir("/")
assert open("a").read() == "1"
assert not os.path.exists("/proc/self")
try:
    os.write(9, b"")
except OSError as error:
    assert "Bad file descriptor" in str(error)
port.os.write(1, b"the machinery still speaks")
import tempfile
print(tempfile.mkdtemp(), flush=True)
scratch.uncover()
assert os.path.exists("/proc/self")
"""


def test_a_covered_process_has_the_tree_alone_and_the_machinery_the_kernel() -> None:
    done = [
        subprocess.run(
            [sys.executable, "-c", _GUEST], capture_output=True, text=True, check=True, timeout=60
        ).stdout
        for _ in range(2)
    ]
    assert done[0].startswith("the machinery still speaks/tmp/tmp")
    assert done[0] == done[1], "the seed fixes temporary names"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="its path classes name a flavour instead")
def test_a_path_module_is_replaced_wherever_a_patch_release_imports_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = sys.modules[pathlib.PurePath.__module__]
    monkeypatch.delattr(home, "ntpath", raising=False)
    monkeypatch.setattr(pathlib.PureWindowsPath, "ntpath", ntpath, raising=False)
    plan = tuple(overlay._path_modules())
    assert [one.owner for one in plan if "ntpath" in one.values] == [pathlib.PureWindowsPath]
    overlay.current(plan)  # what is to be replaced is there
    shown = [value for one in plan for value in one.values.values()]
    assert not any(isinstance(value, ModuleType) for value in shown)
