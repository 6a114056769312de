"""A scratch tree under the standard library while one test runs."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from codemode.sandbox.guest.scratch import run
from codemode.sandbox.guest.scratch.descriptors import Descriptors


@pytest.fixture
def scratch() -> Descriptors:
    """The run's open files; `os`, `open` and all that stands on them use its tree in the test."""
    return run.build(max_bytes=1 << 20, max_files=100, inputs={"in/a.csv": b"x,y\n1,2\n"})


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Put the tree in place around the test alone: pytest itself needs the real files."""
    files = pyfuncitem.funcargs.get("scratch")
    if not isinstance(files, Descriptors):
        return (yield)
    with run.installed(files, seed=1):
        return (yield)
