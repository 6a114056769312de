"""What the language probes that do not pass are stopped by: the table in docs/probes.md.

    python -m benchmarks.probe_causes RESULTS.jsonl... > docs/probes.md

Takes the results of the program measurement over probes made from interpreters' own test folders,
one file for each interpreter, named after it (`3.11.jsonl`). A probe counts under its first cause.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

_HEAD: Final = """\
# Language probes

Each test method of the interpreter's own test folder that stands alone is a program here: the
definitions it uses, its body, a call. The ones that plain CPython passes are run in the sandbox.
`make probes DATA=FOLDER` makes them, runs them and writes this page; with `VENV=.venv-3.13
PYTHON=python3.13` as well, for one more column.

| interpreter | probes | pass | |
|---|---|---|---|
"""
_CAUSES: Final = """
What stops the others, each probe by the first thing that does. Nearly all of them test the inside of the
interpreter; none gives a wrong output without saying so, but for those under `AssertionError` and
`ZeroDivisionError`, which compare names, lists of attributes or the error of a pattern.

"""
_REFUSED: Final = re.compile(r"REFUSED: line \d+: (.+?) is refused")
_DENIED: Final = re.compile(r"DeniedError: (.+?) is refused here")


def cause_of(error: str) -> str:
    """The construct that was refused, or the error, in a few words."""
    first = error.partition("\n")[0]
    found = _REFUSED.match(first) or _DENIED.match(first)
    if found is not None:
        return found[1]
    kind, _, text = first.partition(": ")
    return f"{kind}: {text.partition(' in this sandbox')[0]}" if "No module" in text else kind


def page(results: Mapping[str, Iterable[Mapping[str, Any]]]) -> str:
    """The page, from the rows of each interpreter's measurement."""
    lines: list[str] = []
    causes: dict[str, Counter[str]] = {}
    for version, rows in results.items():
        count = passed = 0
        for row in rows:
            count += 1
            if row["verdict"] == "pass":
                passed += 1
            else:
                causes.setdefault(cause_of(row["error"]), Counter())[version] += 1
        lines.append(f"| {version} | {count:,} | {passed:,} | {passed / count:.1%} |\n")
    table = [
        f"| cause | {' | '.join(results)} |\n",
        f"|---|{'---|' * len(results)}\n",
    ]
    for cause, found in sorted(causes.items(), key=lambda item: (-item[1].total(), item[0])):
        counts = " | ".join(str(found[version] or "") for version in results)
        table.append(f"| {cause.replace('|', '/')} | {counts} |\n")
    return "".join((_HEAD, *lines, _CAUSES, *table))


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", type=Path)
    found: dict[str, list[Any]] = {
        path.stem: [json.loads(line) for line in path.read_text().splitlines()]
        for path in parser.parse_args().results
    }
    print(page(found), end="")


if __name__ == "__main__":
    main()
