"""Run a folder of attacks against the sandbox: nothing may print ESCAPED, and nothing may be left behind.

    python -m benchmarks.escapes FOLDER [--layer LAYER] [--isolation A|B|B-] [--json]

FOLDER holds one attack a file and a manifest.json with {"programs": [{id, file, layer}]}. Layers:
`language`, `protocol` and `resource` run with the language policy on, `os` with it off (as if it
had been bypassed), `resource` with it off too, and `protocol-raw` speaks to the bridge directly.
After each attack the host must be alive, a plain program must run, and no guest may be left.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import anyio

from codemode import Limits, Sandbox

LIMITS = Limits(wall_s=4, cpu_s=3, calls=1_000, memory_bytes=256 << 20)
POLICIES: dict[str, tuple[Literal["restricted", "none"], ...]] = {
    "language": ("restricted",),
    "protocol": ("restricted",),
    "resource": ("restricted", "none"),
    "os": ("none",),
    "protocol-raw": ("none",),
}


@dataclass(frozen=True, slots=True)
class Met:
    """What became of one attack."""

    id: str
    layer: str
    policy: str
    verdict: str
    detail: str

    @property
    def is_contained(self) -> bool:
        """Whether nothing of it got out."""
        return self.verdict == "contained"


def echo(v: Any = None) -> Any:
    """The harmless tool that attacks are granted."""
    return v


def fail() -> None:
    """A tool whose error text must not reach the program."""
    raise RuntimeError("/srv/host/path.py CANARY Traceback")


def adapt(source: str) -> str:
    """A raw attack in this bridge's dialect: descriptor 3 both ways, big-endian lengths."""
    return re.sub(
        r'"<I"',
        '">I"',
        source.replace("os.write(4,", "os.write(3,").replace("os.close(4)", "os.close(3)"),
    )


def descendants() -> set[int]:
    """Every process below this one."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
            except (OSError, IndexError):
                continue
            parents[int(entry)] = int(fields[1])
    mine = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return mine - {os.getpid()}


async def attack(sandbox: Sandbox, source: str) -> tuple[str, str]:
    """Run one attack, then a plain program."""
    outcome = await sandbox.run(source, bindings={"tools.echo": echo, "tools.fail": fail})
    said = outcome.stdout + outcome.stderr + repr(outcome.result)
    kind = outcome.failure.kind if outcome.failure else "ok"
    message = (
        outcome.failure.message.splitlines()[0][:90]
        if outcome.failure and outcome.failure.message
        else ""
    )
    if "ESCAPED" in said:
        return "ESCAPED", f"{kind} {message}"
    after = await sandbox.run("print(6 * 7)")
    if after.stdout != "42\n":
        return "host hurt", f"the next run: {after.failure}"
    return "contained", f"{kind} {message}"


async def run(folder: Path, layers: set[str], isolation: Any) -> tuple[str, list[Met]]:
    """All attacks of the wanted layers, and the level at which they ran."""
    level = "?"
    programs = json.loads((folder / "manifest.json").read_text())["programs"]
    met: list[Met] = []
    for policy in ("restricted", "none"):
        wanted = [p for p in programs if p["layer"] in layers and policy in POLICIES[p["layer"]]]
        if not wanted:
            continue
        async with Sandbox(policy=policy, isolation=isolation, limits=LIMITS) as sandbox:
            level = sandbox.isolation.level
            for program in wanted:
                source = (folder / program["file"]).read_text(
                    encoding="utf-8", errors="surrogatepass"
                )
                if program["layer"] == "protocol-raw":
                    source = adapt(source)
                verdict, detail = await attack(sandbox, source)
                met.append(Met(program["id"], program["layer"], policy, verdict, detail))
        if left := descendants():
            met.append(Met("processes", "all", policy, "left behind", str(sorted(left))))
    return level, met


def main() -> int:
    """Exit status 0 when everything is contained."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layer", action="append", choices=list(POLICIES))
    parser.add_argument("--isolation", default="B", choices=["A", "B", "B-"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    level, met = anyio.run(run, options.folder, set(options.layer or POLICIES), options.isolation)
    bad = [m for m in met if not m.is_contained]
    if options.json:
        rows = [
            {
                "id": m.id,
                "layer": m.layer,
                "policy": m.policy,
                "verdict": m.verdict,
                "detail": m.detail,
            }
            for m in met
        ]
        print(json.dumps({"level": level, "met": rows}, indent=1))
    else:
        for m in met:
            print(f"{m.id:<10}{m.layer:<14}{m.policy:<12}{m.verdict:<12}{m.detail}")
        print(f"{len(met) - len(bad)} of {len(met)} contained at level {level}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
