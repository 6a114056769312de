"""Fixtures of the runtime's tests."""

from __future__ import annotations

import pytest
from pipeline_harness import Harness


@pytest.fixture
def harness() -> Harness:
    """A pipeline on a fake clock, with an owner that keeps every event."""
    return Harness()
