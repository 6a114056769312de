"""What one event of a nested call costs to append: the caller's part, and with the writer's thread.

    python -m benchmarks.append_cost [--calls N] [--rounds N] [--json]

Emits the two events of a nested call (its start, arguments under 1 KB, and its settlement) through
the real writer into each store. Rows, in microseconds an event at the best of the rounds: `emit` is
the caller's own time; `wall` is the time until everything is durable; `cpu` is that of all threads.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import anyio

from codemode.runtime.log import EventStore, SessionLog, open_store

SHA: Final = "ab" * 32
CONTENT: Final = [{"type": "text", "text": json.dumps({"items": [{"id": 1}], "total": 1})}]


async def measure(store: EventStore, session: str, calls: int) -> dict[str, float]:
    """Microseconds an event, for one session of so many nested calls."""
    async with SessionLog(store, session) as log:
        log.emit("turn/open", {}, turn=1)
        emitting = 0.0
        begun, cpu = time.perf_counter(), time.process_time()
        for i in range(calls):
            ids: dict[str, Any] = {
                "root_call_id": "c1", "parent_call_id": "c1", "sub_call_id": f"c1:code:{i}",
                "name": "search",
            }  # fmt: skip
            start = {**ids, "arguments": {"query": "q", "limit": 3}, "arguments_sha256": SHA}
            end = {
                **ids, "outcome": "ok", "is_error": False, "content": CONTENT,
                "decision": {"outcome": "allow", "layer": "default"}, "duration_ms": 0.5,
                "value_sha256": SHA, "body_sha256": SHA, "truncated": False, "contexts": 0,
            }  # fmt: skip
            at = time.perf_counter()
            log.emit("tool/code-dispatch-start", {**start, "line": 2}, turn=1, step=1)
            log.emit("tool/code-dispatch", end, turn=1, step=1)
            emitting += time.perf_counter() - at
            await log.ready()
        await log.flush()
        wall, used = time.perf_counter() - begun, time.process_time() - cpu
    events = 2 * calls / 1e6
    return {"emit": emitting / events, "wall": wall / events, "cpu": used / events}


async def rows(calls: int, rounds: int) -> dict[str, dict[str, float]]:
    """The best of the rounds, for each store."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("memory", "log.sqlite", "log.jsonl"):
            store = open_store(":memory:" if name == "memory" else Path(folder, name))
            measured = [await measure(store, f"s{i}", calls) for i in range(rounds)]
            found[name] = {row: min(one[row] for one in measured) for row in measured[0]}
            store.close()
    return found


def main() -> int:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = anyio.run(rows, arguments.calls, arguments.rounds)
    if arguments.json:
        print(json.dumps(found))
        return 0
    for name, row in found.items():
        parts = (f"{what} {value:6.1f} us" for what, value in row.items())
        print(f"{name:12} {'   '.join(parts)}   an event")
    return 0


if __name__ == "__main__":
    sys.exit(main())
