"""The engine as an adapter of the comparison driver.

    BENCH=path/to/bench python benchmarks/bench_adapter.py --bench

The driver's `common.py` is looked for in `$BENCH/bench` and brings the programs and the peers.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(os.environ.get("BENCH", ".")) / "bench"))

import common  # the driver, found through $BENCH

from codemode import Limits, Sandbox


class Adapter(common.Base):  # type: ignore[misc, name-defined]
    """Runs each program in a fresh guest, fully jailed."""

    name = "codemode"

    async def setup(self) -> None:
        """Start the sandbox."""
        self.sandbox = Sandbox(
            limits=Limits(calls=1_000_000, cpu_s=600, wall_s=600, output_bytes=1 << 28)
        )
        await self.sandbox.__aenter__()

    async def teardown(self) -> None:
        """End it."""
        await self.sandbox.__aexit__(None, None, None)

    async def run(self, code: str) -> tuple[str, str | None]:
        """One program; its output and the text of its failure."""
        outcome = await self.sandbox.run(code, bindings=common.TOOLS)
        failure = outcome.failure
        text: Any = (
            None if failure is None else failure.traceback or f"{failure.kind}: {failure.message}"
        )
        return outcome.stdout, text


if __name__ == "__main__":
    common.main(Adapter)
