"""Runs programs under the language policy inside the test's own process: the jail is tested elsewhere."""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import anyio
import pytest

from codemode.sandbox.language import Views, build_views, compile_program, make_globals
from codemode.sandbox.language.hardening import soften

#: Makes dataclasses as it is imported, and the views harden those of this process.
importlib.import_module("hypothesis.strategies")


@dataclass(frozen=True)
class Ran:
    """What a program printed and gave."""

    stdout: str
    has_result: bool
    result: Any


async def _drive(started: Coroutine[Any, Any, None]) -> None:
    await started


Run = Callable[[str], Ran]


@pytest.fixture(scope="module", autouse=True)
def views() -> Iterator[Views]:
    """The views; what they harden in this process is put back for the tests of other parts."""
    yield build_views()
    soften()


@pytest.fixture
def run(views: Views) -> Iterator[Run]:
    """Run one program; whatever it raises comes out as it is."""
    main = sys.modules["__main__"]

    def run_program(source: str) -> Ran:
        printed = io.StringIO()
        compiled = compile_program(source, foreign_names=views.foreign_names)
        namespace = make_globals(views)
        with contextlib.redirect_stdout(printed):
            started = compiled.start(namespace)
            if started is not None:
                anyio.run(_drive, started)
        text = printed.getvalue()
        has_result, result = compiled.result(namespace, printed=bool(text))
        return Ran(text, has_result, result)

    yield run_program
    sys.modules["__main__"] = main
