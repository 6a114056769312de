"""A started sandbox for tests that run many small programs: one for a whole test module."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import anyio
from anyio.from_thread import start_blocking_portal

from codemode.sandbox import Outcome, Sandbox

Run = Callable[..., Outcome]


@contextmanager
def running(**options: Any) -> Generator[Run]:
    """Give a function that runs a program to its end, as `Sandbox.run`, from plain code."""
    with start_blocking_portal() as portal:
        sandbox = Sandbox(**options)

        async def run(source: str, **given: Any) -> Outcome:
            with anyio.fail_after(60):
                return await sandbox.run(source, **given)

        def run_to_its_end(source: str, **given: Any) -> Outcome:
            return portal.call(lambda: run(source, **given))

        with portal.wrap_async_context_manager(sandbox):
            yield run_to_its_end
