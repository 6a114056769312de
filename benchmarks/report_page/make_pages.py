"""The pages that `check.mjs` opens: `codemode audit report` of logs of 10, 1,000 and 10,000 nested calls.

    python -m benchmarks.report_page.make_pages FOLDER

Written through the real writer with a clock of its own, so that calls overlap as they would; a
fourth log holds hostile texts in every place that a tool, a program or a model can write to.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import anyio

from codemode.runtime.audit import render_html
from codemode.runtime.log import SessionLog, open_store

PROGRAM: Final = """\
import asyncio

# Reserve the cheapest door of each page.
pages = await asyncio.gather(*(tools.search(query=f"door {i}") for i in range(40)))
for page in pages:
    best = min(page["items"], key=lambda item: item["price"])
    try:
        tools.shop.reserve(item_id=best["id"], quantity=1)
    except ToolCallError as error:
        print(best["id"], error.code)
{"pages": len(pages)}
"""
SHA: Final = "ab" * 32
#: What a hostile tool, model or program would try; each must stay text.
HOSTILE: Final = (
    "</script><script>window.injected=1</script>",
    "<img src=http://127.0.0.1:9/x onerror=window.injected=2>",
    "--><script>window.injected=3</script><!--",
    "<!--<script>",
    "]]></style><svg onload=window.injected=4>",
    "{SCRIPT}{DATA}{STYLE}{SCRIPT_SHA}",
    "javascript:window.injected=5",
    "\u202egnp.exe\u202c \u2066hidden\u2069 \u200bzero\u200bwidth \ufeff",
    "\x1b[2J\x1b]0;title\x07\x1b[31mred\x00\x7f",
    "\u2028window.injected=6\u2029",
    "\U000e0041\U000e0042tag characters\U000e007f",
    "constructor __proto__ toString",
    "a" * 1_000_000,
    "\n".join("<b>" * 20 for _ in range(3_000)),
)


class Day:
    """A clock that the script moves."""

    def __init__(self) -> None:
        self.at = datetime(2031, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at


class Script:
    """Writes a session."""

    def __init__(self, log: SessionLog, day: Day) -> None:
        self.log = log
        self.day = day
        self.turn = 0
        self.random = random.Random(7)

    def emit(self, kind: str, data: dict[str, Any]) -> None:
        step = self.turn if kind not in ("turn/open", "turn/close") else None
        self.log.emit(kind, data, turn=self.turn, step=step)

    def open_turn(self) -> None:
        self.turn += 1
        self.emit("turn/open", {})
        self.emit("step/open", {"mode": "code", "sdk_sha256": SHA})

    def start(self, call_id: str, program: str, label: str) -> None:
        arguments = json.dumps({"code": program, "description": label})
        self.emit("tool/call", {"call_id": call_id, "name": "run_code", "arguments": arguments})
        self.emit(
            "tool/code-run-start",
            {
                "call_id": call_id, "program": program, "program_sha256": SHA, "mode": "code",
                "isolation": {"level": "A"}, "limits": {"wall_s": 30.0, "calls": 20_000},
            },
        )  # fmt: skip

    def end(self, call_id: str, settled: Counter[str], text: str) -> None:
        usage = {
            "wall_s": 0.8, "cpu_s": 0.05, "peak_memory_bytes": 26_701_824, "waiting_s": 0.0,
            "sub_calls": dict(settled), "bytes_in": 40_000, "bytes_out": 12_000,
        }  # fmt: skip
        self.emit("tool/code-run", {"call_id": call_id, "outcome": "ok", "usage": usage})
        content = [{"type": "text", "text": text}]
        self.emit("tool/result", {"call_id": call_id, "is_error": False, "content": content})
        self.emit("turn/close", {})

    def program(self, calls: int) -> None:
        """One program of so many nested calls, up to ten of them at once."""
        self.open_turn()
        root = f"call_{self.turn:04x}"
        self.start(root, PROGRAM, "reserve the cheapest doors")
        settled: Counter[str] = Counter()
        running: list[tuple[datetime, dict[str, Any]]] = []
        for i in range(1, calls + 1):
            if len(running) == 10:
                self._settle_first(running, settled)
            self.day.at += timedelta(microseconds=self.random.randrange(200, 900))
            running.append(self._begin(root, i))
        while running:
            self._settle_first(running, settled)
        self.end(root, settled, "{'pages': 40}")

    def _begin(self, root: str, i: int) -> tuple[datetime, dict[str, Any]]:
        is_write = i % 5 == 4
        names = {
            "root_call_id": root, "parent_call_id": root, "sub_call_id": f"{root}:code:{i}",
            "name": "shop.reserve" if is_write else "search",
        }  # fmt: skip
        arguments: dict[str, Any] = {"query": f"door {i}", "limit": 10}
        if is_write:
            arguments = {"item_id": i, "quantity": 1}
        start = {**names, "arguments": arguments, "line": 8 if is_write else 4}
        self.emit("tool/code-dispatch-start", start)
        took = timedelta(microseconds=self.random.randrange(800, 9_000))
        item = {"id": i, "title": "a blue door, oak", "price": 12.5}
        content: Any = [{"type": "text", "text": json.dumps({"items": [item], "total": 1})}]
        end: dict[str, Any] = {**names, "outcome": "ok", "is_error": False, "content": content}
        end["decision"] = {"outcome": "allow", "layer": "default"}
        if i % 20 == 4:
            asked = {"approval_id": f"a{i}:{root}", "call_id": names["sub_call_id"]}
            self.emit("approval/asked", {**asked, "name": "shop.reserve", "reason": "it costs"})
            decided = {"outcome": "allowed", "by": "cli:ada", "waited_ms": 900.0}
            self.emit("approval/decided", {**asked, **decided})
            end["decision"] = {"outcome": "allow", "layer": "approval", "rule": "costs"}
        elif i % 10 == 9:
            end |= failed("denied", "DENIED", "pre", body_started=False)
            reason = "this session may not write"
            end["decision"] = {
                "outcome": "deny", "layer": "pre", "rule": "read-only", "reason": reason
            }  # fmt: skip
            took = timedelta(microseconds=90)
        elif i % 17 == 0:
            end |= failed("error", "TOOL_ERROR", "body", body_started=True)
        elif i % 43 == 10:
            end |= failed("unknown", "UNKNOWN_OUTCOME", "body", body_started=True)
        end["duration_ms"] = took.total_seconds() * 1000
        return self.day.at + took, end

    def _settle_first(
        self, running: list[tuple[datetime, dict[str, Any]]], settled: Counter[str]
    ) -> None:
        running.sort(key=lambda one: one[0])
        at, end = running.pop(0)
        self.day.at = max(self.day.at, at)
        settled[end["outcome"]] += 1
        self.emit("tool/code-dispatch", end)

    def hostile(self) -> None:
        """A program, its calls and its results, all of them hostile."""
        self.open_turn()
        self.emit("user/message", {"content": HOSTILE[0], "source": HOSTILE[1]})
        self.start("c" + HOSTILE[0], "\n".join(HOSTILE[:-2]), HOSTILE[2])
        root, settled = "c" + HOSTILE[0], Counter[str]()
        for i, text in enumerate(HOSTILE, start=1):
            names = {
                "root_call_id": root, "parent_call_id": root, "sub_call_id": f"{root}:code:{i}",
                "name": text[:200],
            }  # fmt: skip
            self.emit("tool/code-dispatch-start", {**names, "arguments": {text: text}, "line": i})
            error = {"name": text[:99], "code": text[:99], "layer": text[:99], "body_started": True}
            reason = {"outcome": "allow", "layer": "pre", "rule": text[:99], "reason": text}
            self.emit(
                "shop/" + "observed", {"call_id": names["sub_call_id"], text: [text, {text: 1}]}
            )
            self.emit(
                "tool/code-dispatch",
                {
                    **names, "outcome": "error", "is_error": True, "error": error,
                    "decision": reason, "content": [{"type": "text", "text": text}],
                    "duration_ms": 1e300,
                },
            )  # fmt: skip
            settled["error"] += 1
        self.end(root, settled, HOSTILE[0])


def failed(outcome: str, code: str, layer: str, *, body_started: bool) -> dict[str, Any]:
    """The end of a call that did not succeed."""
    error = {"name": "ToolError", "code": code, "layer": layer, "body_started": body_started}
    return {"outcome": outcome, "is_error": True, "error": error, "content": f"Error: {code}"}


async def make(folder: Path, name: str, sizes: tuple[int, ...]) -> None:
    """One log, and its page; no sizes: the hostile one."""
    path = folder / f"{name}.sqlite"
    path.unlink(missing_ok=True)
    store = open_store(path)
    day = Day()
    async with SessionLog(store, f"s_{name}", now=day) as log:
        script = Script(log, day)
        for size in sizes:
            script.program(size)
        if not sizes:
            script.hostile()
    (folder / f"{name}.html").write_text(render_html(store), encoding="utf-8")
    store.close()


async def make_all(folder: Path) -> None:
    """Write all pages."""
    for name, sizes in {
        "calls-10": (10,), "calls-1000": (40, 900, 60), "calls-10000": (10_000,),
        "sessions-10000": (200,) * 50, "hostile": (),
    }.items():  # fmt: skip
        await make(folder, name, sizes)
        print(name)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    anyio.run(make_all, target)
