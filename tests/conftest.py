"""Fixtures for every test: both event loops."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Host-side tests run on asyncio and on trio."""
    return str(request.param)
