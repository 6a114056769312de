"""Fixtures for every test, the `spec` marker and `pytest --spec-report`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator

import pytest
import spec_index

from codemode.runtime.audit import verify
from codemode.runtime.log.stores.memory import MemoryStore


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the report of untested behaviours."""
    parser.addoption(
        "--spec-report",
        action="store_true",
        help="list the numbered behaviours that have no test, and run nothing",
    )


def _references(item: pytest.Item) -> list[str]:
    return [str(ref) for mark in item.iter_markers("spec") for ref in mark.args]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse references that the specification does not have."""
    known = spec_index.load()
    unknown = {
        f"{ref!r} in {item.nodeid}"
        for item in items
        for ref in _references(item)
        if ref not in known
    }
    if unknown:
        raise pytest.UsageError(f"unknown behaviours: {', '.join(sorted(unknown))}")
    if config.getoption("--spec-report"):
        tested: defaultdict[str, set[str]] = defaultdict(set)
        for item in items:
            for ref in _references(item):
                tested[ref].add(item.nodeid)
        sys.stdout.write(spec_index.report(dict(tested)) + "\n")
        items.clear()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The report alone is a success."""
    if session.config.getoption("--spec-report"):
        session.exitstatus = pytest.ExitCode.OK


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Host-side tests run on asyncio and on trio."""
    return str(request.param)


@pytest.fixture
def checked_store() -> Iterator[MemoryStore]:
    """A log in memory: what a test writes to it must verify, every session ended."""
    store = MemoryStore()
    yield store
    if store.sessions():
        report = verify(store)
        assert not report.faults, "\n".join(map(str, report.faults))
        assert all(session.is_closed for session in report.sessions)
