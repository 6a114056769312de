"""What holds for every integration test."""

from __future__ import annotations

from collections.abc import Iterator

import judged_logs
import pytest


@pytest.fixture(autouse=True)
def _every_log_keeps_the_invariants(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test is about, the log that it writes is a true protocol (PIPELINE 14)."""
    with judged_logs.judged(monkeypatch):
        yield
