"""Opt-in packages: a table of 100,000 rows from a tool, grouped with pandas, within limits.

python -m benchmarks.packages
"""

from __future__ import annotations

import random
import time
from typing import Any

import anyio

from codemode import Limits, Sandbox

LIMITS = Limits(wall_s=20, cpu_s=10, memory_bytes=512 << 20)

GROUP = """
import pandas as pd

frame = pd.DataFrame(table())
frame["band"] = pd.cut(frame.amount, [0, 50, 100], labels=["low", "high"])
grouped = frame.groupby(["region", "band"], observed=True).amount.agg(["count", "sum"])
return grouped.reset_index().to_dict("records")
"""
PROGRAMS = {
    "import and one sum": "import numpy as np\nint(np.arange(4).sum())",
    "100,000 rows grouped": GROUP,
    "8 GB array": "import numpy as np\nnp.ones((100_000, 10_000)).sum()",
}


async def table() -> list[dict[str, Any]]:
    """Rows as a tool gives them."""
    source = random.Random(1)
    return [
        {"id": i, "region": source.choice("nesw"), "amount": source.random() * 100}
        for i in range(100_000)
    ]


async def main() -> None:
    """Print the table."""
    started = time.perf_counter()
    async with Sandbox(packages=["numpy", "pandas"], limits=LIMITS) as sandbox:
        print(f"start of the fork server: {time.perf_counter() - started:.2f} s")
        for name, source in PROGRAMS.items():
            outcome = await sandbox.run(source, bindings={"table": table})
            end = "ok" if outcome.failure is None else outcome.failure.kind
            usage = outcome.usage
            print(
                f"{name:<24}{end:<14}{usage.wall_s:>8.2f} s wall {usage.cpu_s:>6.2f} s cpu"
                f" {usage.peak_memory_bytes >> 20:>6} MiB"
            )


if __name__ == "__main__":
    anyio.run(main)
