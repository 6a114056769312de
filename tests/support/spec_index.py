"""The numbered behaviours of the specification, read from spec.tsv."""

from __future__ import annotations

from pathlib import Path
from typing import Final

DOCUMENTS: Final = ("PIPELINE", "CODE_MODE", "SANDBOX", "SDK", "AUDIT")


def load() -> dict[str, str]:
    """Map each reference, such as "SANDBOX 5.2", to its one-line title, in order."""
    path = Path(__file__).parents[1] / "conformance" / "spec.tsv"
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {row[0]: row[1] for row in rows if len(row) == 2}


def report(tested: dict[str, set[str]]) -> str:
    """What `pytest --spec-report` prints.

    Args:
        tested: For each reference, the tests that carry it.
    """
    index = load()
    lines: list[str] = []
    for document in DOCUMENTS:
        refs = [ref for ref in index if ref.split()[0] == document]
        missing = [ref for ref in refs if not tested.get(ref)]
        lines.append(
            f"{document}: {len(refs) - len(missing)} of {len(refs)} behaviours have a test"
        )
        lines.extend(f"  no test: {ref}  {index[ref]}" for ref in missing)
    return "\n".join(lines)
