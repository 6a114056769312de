"""What a validator costs: to compile, and to run, over a folder of real tools.

    python -m benchmarks.sdk_compile FOLDER [--rounds 5]

Each round is a fresh process that compiles the parameters of every tool once, after two hundred
other schemas have warmed the machinery up: no schema is compiled twice, since the compiler keeps
what it has seen. "runtime" is what a registration does, from the author's own dict to a contract;
"schema" is `compile_schema` alone; "compiler" is jsonschema-rs alone, on the same schemas with the
type of the root set right, and is the floor. The mean over the tools of the best round is printed,
and of the median one, for other work on the machine adds and never takes away.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs

from codemode.runtime.contract import compile_contract
from codemode.runtime.definition import Tool
from codemode.sdkgen import ToolSpec, compile_schema
from codemode.sdkgen.__main__ import read_specs

PATTERNS = jsonschema_rs.RegexOptions(size_limit=1 << 20, dfa_size_limit=1 << 20)


def as_runtime(tool: Tool) -> None:
    """What a registration does."""
    compile_contract(tool)


def as_schema(tool: Tool) -> None:
    """The validator alone."""
    compile_schema(tool.parameters, lenient=True)


def as_compiler(tool: Tool) -> None:
    """The floor; what it refuses costs what a refusal costs."""
    schema: Any = {**tool.parameters, "type": "object"}
    try:
        jsonschema_rs.validator_for(schema, offline=True, pattern_options=PATTERNS)
    except (ValueError, jsonschema_rs.ReferencingError):
        return


WAYS: dict[str, Callable[[Tool], None]] = {
    "runtime": as_runtime,
    "schema": as_schema,
    "compiler": as_compiler,
}


def adapted(spec: ToolSpec) -> Tool:
    """The tool as an MCP server's: lenient, as strangers' schemas have to be read."""
    name = spec.name if spec.name != "run_code" else "run_code_"
    return Tool.raw(name, spec.description, spec.parameters, lambda a, r: None, is_adapted=True)


def one_round(folder: Path, way: Callable[[Tool], None]) -> float:
    """Microseconds a tool, on the average."""
    tools = [adapted(spec) for path in sorted(folder.glob("*.jsonl")) for spec in read_specs(path)]
    for number in range(200):
        inner = {f"warm_{number}": {"type": "string", "minLength": number}}
        way(adapted(ToolSpec("warm", "", {"type": "object", "properties": inner})))
    gc.collect()  # What reading the files left behind is none of the compiler's cost.
    began = time.perf_counter()
    for tool in tools:
        way(tool)
    return (time.perf_counter() - began) / len(tools) * 1e6


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--way", choices=WAYS, help="one round in this process")
    options = parser.parse_args()
    if options.way:
        print(one_round(options.folder, WAYS[options.way]))
        return
    command = [sys.executable, "-m", "benchmarks.sdk_compile", str(options.folder), "--way"]
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(options.rounds):
        for way in WAYS:
            done = subprocess.run([*command, way], capture_output=True, text=True, check=True)
            found[way].append(float(done.stdout))
    for way, figures in found.items():
        print(f"{way:10} best {min(figures):5.1f} us, median {statistics.median(figures):5.1f} us")


if __name__ == "__main__":
    main()
