"""Tokens, parse and type-check results of the generated SDK, per source, for a folder of tools.

    python benchmarks/sdk_tokens.py FOLDER [--pyright] [--tokenizer NODE_MODULES]

FOLDER has `*.jsonl` files with one tool a line. Tokens are o200k, counted by the npm package
`gpt-tokenizer` through node: `--tokenizer` names a folder in which it is installed (default: here).
The native list is the compact JSON of name, description and parameters: the smallest form of it,
and without the output schemas, which the catalog does include. `both` is that list, `run_code` and
the SDK text of the mode, against the list; the last line is all sources as one set. Stubs are
checked with ty, and with pyright on request (slow).
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codemode import ToolRuntime
from codemode.sdkgen import Sdk, ToolSpec, build_sdk
from codemode.sdkgen.__main__ import read_specs

COUNTER = """
import {encode} from 'gpt-tokenizer/encoding/o200k_base';
import {readFileSync} from 'node:fs';
const texts = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map(text => encode(text).length)));
"""


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one source costs, and whether its stubs hold."""

    source: str
    tools: int
    native: int
    catalog: int
    beside: int
    stubs: int
    parses: bool
    findings: str
    degraded: int
    microseconds: float

    def text(self) -> str:
        """One line of the table."""
        return (
            f"{self.source:24} {self.tools:5} {self.native:8} {self.catalog:8}"
            f" {self.catalog / self.native:8.1%} {1 + self.beside / self.native:8.1%}"
            f" {self.stubs / self.native:8.1%}"
            f" {'yes' if self.parses else 'NO':>6} {self.findings:>8} {self.degraded:8}"
            f" {self.microseconds:8.0f}"
        )


HEAD = (
    f"{'source':24} {'tools':>5} {'native':>8} {'catalog':>8} {'ratio':>8} {'both':>8} {'stubs':>8}"
    f" {'parses':>6} {'findings':>8} {'degraded':>8} {'us/tool':>8}"
)


def count_tokens(texts: Sequence[str], node_modules: Path) -> list[int]:
    """o200k tokens of each text.

    Raises:
        SystemExit: node or the tokenizer is missing; the message says how to get it.
    """
    node = shutil.which("node")
    if node is None:
        sys.exit("node is missing: it runs the tokenizer")
    done = subprocess.run(
        [node, "--input-type=module", "-e", COUNTER],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        cwd=node_modules,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(
            f"the tokenizer is missing: npm install gpt-tokenizer in {node_modules}\n{done.stderr}"
        )
    return list(json.loads(done.stdout))


def native_list(tools: Sequence[ToolSpec]) -> str:
    """The native tool list as compact JSON, outputs left out."""
    listed = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in tools
    ]
    return json.dumps(listed, separators=(",", ":"), ensure_ascii=False)


def beside(sdk: Sdk) -> str:
    """What the mode `both` adds to the native list."""
    (listed,) = ToolRuntime(mode="code").wire_tools(dialect="mcp")
    return json.dumps(listed, separators=(",", ":")) + sdk.prompt("both", token_budget=None)


def parses(text: str) -> bool:
    """Whether a stub is Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def findings(sdk: Sdk, *, with_pyright: bool) -> str:
    """What the checkers say of the three kinds of stubs; "-" without a checker."""
    checkers: list[list[str]] = []
    local = Path(sys.executable).with_name("ty")
    ty = str(local) if local.exists() else shutil.which("ty")
    if ty is not None:
        checkers.append([ty, "check", "--output-format", "concise"])
    pyright = shutil.which("pyright", path=str(local.parent)) or shutil.which("pyright")
    if with_pyright and pyright is not None:
        checkers.append([pyright])
    if not checkers:
        return "-"
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (
            ("plain", sdk.stubs()),
            ("awaited", sdk.stubs(is_async=True)),
            ("strict", sdk.stubs(is_strict=True)),
        ):
            Path(folder, f"{name}.pyi").write_text(text, "utf-8")
        count = 0
        for checker in checkers:
            done = subprocess.run(
                [*checker, folder], capture_output=True, text=True, cwd=folder, check=False
            )
            lines = done.stdout.splitlines()
            count += sum("error" in line and ".pyi:" in line for line in lines)
            count += done.returncode != 0 and count == 0
    return str(count)


def measure(path: Path, *, with_pyright: bool) -> tuple[Row, list[str]]:
    """One source without its tokens, and the texts whose tokens are to be counted."""
    tools = read_specs(path)
    gc.collect()  # what the sources before have left is none of this one's cost
    began = time.process_time()
    sdk = build_sdk(tools)
    catalog = sdk.catalog()
    each = (time.process_time() - began) / max(len(tools), 1) * 1e6
    stubs = sdk.stubs()
    row = Row(
        source=path.stem,
        tools=len(tools),
        native=1,
        catalog=0,
        beside=0,
        stubs=0,
        parses=all(map(parses, (stubs, sdk.stubs(is_async=True), sdk.stubs(is_strict=True)))),
        findings=findings(sdk, with_pyright=with_pyright),
        degraded=sum(bool(sdk.explain(binding.path).degraded) for binding in sdk.bindings),
        microseconds=each,
    )
    return row, [native_list(tools), catalog, beside(sdk), stubs]


def total(rows: Sequence[Row]) -> Row:
    """All sources together."""
    return Row(
        source="all",
        tools=sum(row.tools for row in rows),
        native=sum(row.native for row in rows),
        catalog=sum(row.catalog for row in rows),
        beside=sum(row.beside for row in rows),
        stubs=sum(row.stubs for row in rows),
        parses=all(row.parses for row in rows),
        findings=str(sum(int(row.findings) for row in rows if row.findings.isdigit())),
        degraded=sum(row.degraded for row in rows),
        microseconds=sum(row.microseconds * row.tools for row in rows)
        / max(sum(row.tools for row in rows), 1),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pyright", action="store_true")
    parser.add_argument("--tokenizer", type=Path, default=Path.cwd(), metavar="NODE_MODULES")
    options = parser.parse_args()
    paths = sorted(options.folder.glob("*.jsonl"))
    measured = [measure(path, with_pyright=options.pyright) for path in paths]
    if not measured:
        sys.exit(f"no *.jsonl in {options.folder}")
    counts = count_tokens([text for _, texts in measured for text in texts], options.tokenizer)
    print(HEAD)
    rows: list[Row] = []
    for at, (row, _) in enumerate(measured):
        names = ("native", "catalog", "beside", "stubs")
        counted = dict(zip(names, counts[4 * at : 4 * at + 4], strict=True))
        rows.append(replace(row, **counted))
        print(rows[-1].text())
    print(total(rows).text())
    everything = [tool for path in paths for tool in read_specs(path)]
    native, both = count_tokens(
        [native_list(everything), beside(build_sdk(everything))], options.tokenizer
    )
    print(f"all sources as one set: both {1 + both / native:.1%}")


if __name__ == "__main__":
    main()
