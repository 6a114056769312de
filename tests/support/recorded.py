"""A session that was recorded once and is read for ever: `tests/histories/v1.jsonl`."""

from __future__ import annotations

from pathlib import Path

from codemode.runtime.log import Record, open_store

HISTORY = Path(__file__).parents[1] / "histories" / "v1.jsonl"


def recorded() -> list[Record]:
    """The records of its session `s_demo`."""
    store = open_store(HISTORY, read_only=True)
    try:
        return list(store.read("s_demo"))
    finally:
        store.close()
