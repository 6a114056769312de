"""A gallery of model programs, and what the model reads of each.

    python -m examples.gallery [NAME]...

Paging, fan-out with `gather`, a denial that is caught, racing with `asyncio.wait`, a failure with
its ledger, and the program that a model writes after having read it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from codemode import ToolRuntime
from examples.gallery.tools import Shop, small_refunds_only

PROGRAMS = ("paging", "fan_out", "caught_denial", "racing", "ledger", "after_the_ledger")
HERE = Path(__file__).parent


async def show(names: tuple[str, ...] = PROGRAMS) -> dict[str, str]:
    """What the model reads of each program; they share one shop, in order."""
    shop = Shop()
    async with ToolRuntime(shop.tools(), mode="code", policies=[small_refunds_only]) as runtime:
        return {
            name: (await runtime.run_code((HERE / name / "program.py").read_text())).text
            for name in names
        }


def main() -> None:
    """Print the gallery, or the named programs of it."""
    names = tuple(sys.argv[1:]) or PROGRAMS
    if unknown := set(names) - set(PROGRAMS):
        sys.exit(f"no program {', '.join(sorted(unknown))}; there are {', '.join(PROGRAMS)}")
    for name, text in anyio.run(show, names).items():
        print(f"--- {name} ---\n{text}\n")


if __name__ == "__main__":
    main()
