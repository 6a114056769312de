"""What the audit costs on a long log: writing it, then verify, show and report, with their peak memory.

    python -m benchmarks.audit_scale [--events N] [--calls N] [--file FILE] [--json]

Writes one session of N events through the real writer: programs of `--calls` nested calls each, in
the proportions of a working day (searches, writes with approvals, failures, denials, refusals), a
signed checkpoint every 50 programs. Each step is a process of its own, so that its peak memory is
its own. Rows: seconds, events a second, peak resident memory in MiB.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio

from codemode.runtime.log import KeySigner, SessionLog, open_store

#: A program of realistic length; its lines are what nested calls point at.
PROGRAM: Final = "\n".join(
    [
        "import asyncio",
        "",
        "pages = await asyncio.gather(*(tools.search(query=f'door {i}') for i in range(40)))",
        "for page in pages:",
        "    for item in page['items']:",
        "        try:",
        "            tools.shop.reserve(item_id=item['id'], quantity=1, note='from the list')",
        "        except ToolCallError as error:",
        "            print(item['id'], error.code)",
        "print('done')",
    ]
)
SHA: Final = "ab" * 32
ISOLATION: Final = {"level": "A", "seccomp": True, "userns": True, "landlock_abi": 7}
USAGE: Final = {
    "wall_s": 0.8, "cpu_s": 0.05, "peak_memory_bytes": 26_701_824, "waiting_s": 0.0,
    "bytes_in": 40_000, "bytes_out": 12_000,
}  # fmt: skip
STEPS: Final = ("write", "verify", "show", "show --json", "report")


def program_events(number: int, calls: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """One `run_code` call of the model, without its turn."""
    root = f"call_{number:08x}"
    arguments = json.dumps({"code": PROGRAM, "description": "reserve what is left"})
    yield "tool/call", {"call_id": root, "name": "run_code", "arguments": arguments}
    yield (
        "tool/code-run-start",
        {
            "call_id": root, "program": PROGRAM, "program_sha256": SHA, "sdk_sha256": SHA,
            "mode": "code", "isolation": ISOLATION, "limits": {"wall_s": 30.0, "calls": 1000},
        },
    )  # fmt: skip
    settled: Counter[str] = Counter()
    for i in range(1, calls + 1):
        yield from nested_events(root, i, settled)
    usage = {**USAGE, "sub_calls": dict(settled)}
    yield "tool/code-run", {"call_id": root, "outcome": "ok", "usage": usage}
    content = [{"type": "text", "text": "done"}]
    yield "tool/result", {"call_id": root, "is_error": False, "content": content}


def nested_events(root: str, i: int, settled: Counter[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """One nested call: seven of ten are searches, the rest writes of different fates."""
    names = {"root_call_id": root, "parent_call_id": root}
    if i % 97 == 0:
        yield (
            "tool/code-dispatch-refused",
            {**names, "ordinal": i, "name": "serach", "reason": "unknown_tool"},
        )
        return
    is_write = i % 10 > 6
    names |= {"sub_call_id": f"{root}:code:{i}", "name": "shop.reserve" if is_write else "search"}
    arguments: dict[str, Any] = {"query": f"door {i}", "limit": 10}
    if is_write:
        arguments = {"item_id": i, "quantity": 1, "note": "from the list"}
    line = 7 if is_write else 3
    yield (
        "tool/code-dispatch-start",
        {**names, "arguments": arguments, "arguments_sha256": SHA, "line": line},
    )
    if i % 50 == 8:
        asked = {"approval_id": f"a:{root}:{i}", "call_id": names["sub_call_id"]}
        yield (
            "approval/asked",
            {**asked, "name": "shop.reserve", "reason": "it costs", "arguments": arguments},
        )
        yield (
            "approval/decided",
            {**asked, "outcome": "allowed", "by": "cli:ada", "waited_ms": 900.0},
        )
    end: dict[str, Any] = {
        **names, "outcome": "ok", "is_error": False, "duration_ms": 12.25,
        "decision": {"outcome": "allow", "layer": "default"}, "value_sha256": SHA,
        "content": [{"type": "text", "text": json.dumps({"items": [{"id": i, "title": "a blue door", "price": 12.5}], "total": 1})}],
    }  # fmt: skip
    if i % 10 == 9:
        end |= {"outcome": "denied", "is_error": True, "content": "Error: denied: read-only today"}
        end["decision"] = {
            "outcome": "deny",
            "layer": "pre",
            "rule": "read-only",
            "reason": "read-only today",
        }
        end["error"] = {
            "name": "ToolDeniedError",
            "code": "DENIED",
            "layer": "pre",
            "body_started": False,
        }
    elif i % 25 == 7:
        end |= {"outcome": "error", "is_error": True, "content": "Error: the shop did not answer"}
        end["error"] = {
            "name": "ToolError",
            "code": "TOOL_ERROR",
            "layer": "body",
            "body_started": True,
        }
    settled[end["outcome"]] += 1
    yield "tool/code-dispatch", end


async def write(path: Path, events: int, calls: int) -> None:
    """Write one session of about `events` events; it ends with its close."""
    store = open_store(path)
    try:
        async with SessionLog(store, "s_scale", signer=KeySigner.from_bytes(bytes(32))) as log:
            turn = 0
            while log.seq < events - 1:
                turn += 1
                log.emit("turn/open", {}, turn=turn)
                log.emit("step/open", {"mode": "code", "sdk_sha256": SHA}, turn=turn, step=turn)
                # No more calls than what is left of the log has room for.
                room = max((events - log.seq - 10) // 2, 1)
                for kind, data in program_events(turn, min(calls, room)):
                    log.emit(kind, data, turn=turn, step=turn)
                log.emit("turn/close", {}, turn=turn)
                if turn % 50 == 0:
                    log.checkpoint()
                await log.ready()
    finally:
        store.close()


def measured(command: list[str], output: Path) -> tuple[float, float, int]:
    """Seconds, peak MiB and exit status of a process whose output goes to a file."""
    begun = time.perf_counter()
    with output.open("wb") as sink:
        process = subprocess.Popen(command, stdout=sink)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - begun, usage.ru_maxrss / 1024, process.returncode


def command_of(step: str, path: Path, arguments: argparse.Namespace) -> list[str]:
    """The process of one step."""
    if step == "write":
        size = ["--events", str(arguments.events), "--calls", str(arguments.calls)]
        return [sys.executable, "-m", "benchmarks.audit_scale", "--write", str(path), *size]
    name, *options = step.split()
    if name == "report":
        options = ["-o", f"{path}.html"]
    return [sys.executable, "-m", "codemode", "audit", name, str(path), *options]


def main() -> int:
    """Run the steps and print a row for each; 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--calls", type=int, default=200, help="nested calls of each program")
    parser.add_argument("--file", type=Path, help="keep the log here (.sqlite or .jsonl)")
    parser.add_argument("--steps", default=",".join(STEPS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write is not None:
        anyio.run(write, arguments.write, arguments.events, arguments.calls)
        return 0
    rows: dict[str, dict[str, float]] = {}
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file or Path(folder, "scale.sqlite")
        for step in arguments.steps.split(","):
            output = Path(folder, "output")
            seconds, peak, status = measured(command_of(step, path, arguments), output)
            failed |= status != 0
            rows[step] = {
                "seconds": round(seconds, 2),
                "events_per_s": round(arguments.events / seconds),
                "peak_mib": round(peak),
                "output_mib": round(output.stat().st_size / 2**20, 2),
                "exit": status,
            }
            if not arguments.json:
                row = rows[step]
                print(f"{step:12} {row['seconds']:8.2f} s {row['events_per_s']:9,.0f} events/s"
                      f" {row['peak_mib']:6.0f} MiB  output {row['output_mib']} MiB  exit {status}",
                      flush=True)  # fmt: skip
        if not arguments.json:
            print(f"log: {path.stat().st_size / 2**20:.0f} MiB")
    if arguments.json:
        print(json.dumps({"events": arguments.events, "rows": rows}))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
