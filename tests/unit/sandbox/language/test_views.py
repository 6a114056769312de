"""What `import` gives."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError, Views, build_views, compile_program, make_globals
from codemode.sandbox.language.attributes import MODULE_HOLDERS
from codemode.sandbox.language.hooks import guarded_getattr
from codemode.sandbox.language.importing import importer
from codemode.sandbox.language.modules import MISSING, TABLE
from codemode.sandbox.language.ownership import BASES
from codemode.sandbox.language.view import View, held

Run = Callable[[str], Any]


@pytest.mark.spec("SANDBOX 6.6")
def test_no_view_holds_a_module_or_a_private_name(views: Views) -> None:
    open_privates = {"__all__", "__doc__", *(name for row in TABLE for name in row.private)}
    for view in views.modules.values():
        for name, value in held(view).items():
            assert not isinstance(value, ModuleType)
            assert not name.startswith("_") or name in open_privates


@pytest.mark.spec("SANDBOX 6.6")
def test_no_open_class_keeps_a_module_under_a_name_that_is_not_looked_at(views: Views) -> None:
    kept = {
        (kind.__name__, name)
        for kind in BASES
        for owner in kind.__mro__
        for name, value in vars(owner).items()
        if isinstance(value, ModuleType)
    }
    assert {name for _, name in kept} <= MODULE_HOLDERS


@pytest.mark.spec("SANDBOX 6.6")
@pytest.mark.parametrize(
    "source",
    [
        "import warnings\nclass W(warnings.catch_warnings):\n    def f(self): return self._module",
        "import contextlib\nclass R(contextlib.redirect_stdout):\n    _stream = 'modules'",
        "import warnings\nwarnings.catch_warnings()._module",
        "import types\nimport warnings\nclass A: pass\na = A()\na.parser = warnings.catch_warnings()\na.parser._module",
    ],
)
def test_no_library_object_hands_out_a_module(run: Run, source: str) -> None:
    with pytest.raises(DeniedError):
        run(source)


@pytest.mark.spec("SANDBOX 6.6")
def test_a_path_does_not_lead_to_the_module_under_it() -> None:
    class Kept:
        parser = sys

    with pytest.raises(DeniedError):
        guarded_getattr(Kept(), "parser")
    assert guarded_getattr(Kept(), "parser", None) is None


@pytest.mark.spec("SANDBOX 6.6")
def test_a_view_has_no_name_and_cannot_be_changed(views: Views) -> None:
    view: Any = views.modules["math"]
    assert not hasattr(view, "__name__")
    assert view.__doc__ == math.__doc__
    with pytest.raises(DeniedError):
        view.pi = 3
    with pytest.raises(DeniedError):
        del view.pi
    assert (repr(view), type(view).__name__) == ("<module 'math'>", "module")


@pytest.mark.spec("SANDBOX 5.4")
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_every_module_of_the_table_can_be_imported(run: Run, row: Any) -> None:
    run(f"import {row.name}")
    run(f"import {row.name} as m")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os.path\nos.path.join('a', 'b')", "a/b"),
        ("import os.path as p\np.basename('a/b')", "b"),
        ("from os import path\npath.sep", "/"),
        ("import collections.abc, collections\nisinstance([], collections.abc.Sequence)", True),
        ("from math import *\nfloor(pi)", 3),
        ("import json\ntry: json.loads('{')\nexcept json.decoder.JSONDecodeError: r = 1\nr", 1),
        ("import datetime\ndatetime.datetime.strptime('2024-02-03', '%Y-%m-%d').day", 3),
        (
            "import xml.etree.ElementTree as ET\nET.fromstring('<a><b x=\"1\"/></a>')[0].get('x')",
            "1",
        ),
        ("__import__('math').floor(1.5)", 1),
    ],
)
def test_imports_work_in_every_form(run: Run, source: str, expected: object) -> None:
    assert run(source).result == expected


@pytest.mark.spec("SANDBOX 5.6")
@pytest.mark.parametrize("name", sorted(MISSING))
def test_a_missing_module_says_what_to_use_instead(run: Run, name: str) -> None:
    if name.startswith("_"):
        return
    with pytest.raises(ModuleNotFoundError, match=r"use .* instead"):
        run(f"import {name}")


@pytest.mark.spec("SANDBOX 5.6")
def test_a_withheld_name_says_why(run: Run) -> None:
    with pytest.raises(ImportError, match="withheld because it starts or reaches processes"):
        run("from os import system")
    with pytest.raises(
        DeniedError, match=r"os\.system is refused here: it starts or reaches processes"
    ):
        run("import os\nos.system('ls')")
    with pytest.raises(AttributeError, match="module 'math' has no attribute 'nothing'"):
        run("import math\nmath.nothing")


def test_a_missing_module_can_be_caught_and_done_without(run: Run) -> None:
    assert run(
        "try:\n    import requests\nexcept ImportError:\n    requests = None\nrequests is None"
    ).result


def test_relative_imports_fail_as_in_a_script(run: Run) -> None:
    with pytest.raises(ImportError, match="no known parent package"):
        run("from . import x")


def test_the_importer_gives_no_module_to_a_call_that_looks_like_the_librarys(views: Views) -> None:
    load = importer(views, {})
    assert load("_strptime", {}, {}, [], 0) is None
    with pytest.raises(ModuleNotFoundError):
        load("_strptime", {}, {}, None, 0)


def test_what_a_run_offers_by_name_comes_before_any_module(views: Views) -> None:
    tools = object()
    before = sys.modules["__main__"]
    try:
        namespace = make_globals(views, modules={"tools": tools})
        compile_program("import tools\nx = tools", foreign_names=views.foreign_names).start(
            namespace
        )
        assert namespace["x"] is tools
    finally:
        sys.modules["__main__"] = before


def test_a_provider_adds_to_a_row_and_gives_builtins() -> None:
    def provide(name: str) -> dict[str, object] | None:
        given: dict[str, dict[str, object]] = {
            "math": {"tau2": 12, "_hidden": 1, "sys": sys},
            "builtins": {"open": len},
        }
        return given.get(name)

    views = build_views(provide)
    assert held(views.modules["math"])["tau2"] == 12
    assert not {"_hidden", "sys"} & set(held(views.modules["math"]))
    assert views.builtins == {"open": len}


def test_a_view_is_not_copied(run: Run) -> None:
    with pytest.raises(TypeError, match="modules cannot be copied"):
        run("import copy, math\ncopy.copy(math)")
    assert View.__name__ == "module"
