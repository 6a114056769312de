"""The check before the run on real programs and tools: false findings, found mistakes, time.

    python benchmarks/typecheck.py FOLDER [--show]

FOLDER has `programs/*.jsonl`, of which the kinds `toolcalls` and `toolcode` are read, and
`tools/*.jsonl`. A program's tools get the definitions of that name in `tools`, and where there is
none, what its own calls say. Four tables: programs with findings (each one is shown; a name that is
bound nowhere in its program is a true one), planted mistakes that are found, stubs with errors of
their own, and the median time of a check.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from itertools import count as count_from
from pathlib import Path
from typing import Any

import anyio

from codemode.runtime.typecheck import Checker, Finding
from codemode.runtime.typecheck.workspace import make_workspace
from codemode.sdkgen import Sdk, ToolSpec, build_sdk
from codemode.sdkgen.__main__ import read_specs

KINDS = ("toolcalls", "toolcode")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A program in the form that this engine's models write, with its tools."""

    name: str
    kind: str
    code: str
    specs: tuple[ToolSpec, ...]
    #: The specs are the tools' own definitions.
    is_typed: bool


def read_cases(folder: Path) -> list[Case]:
    """Every program of the two kinds."""
    known: dict[str, ToolSpec] = {}
    for path in sorted((folder / "tools").glob("bfcl-multi-turn.jsonl")):
        for spec in read_specs(path):
            known.setdefault(
                spec.name,
                ToolSpec(spec.name, spec.description, spec.parameters, spec.output_schema),
            )
    cases: list[Case] = []
    for kind in KINDS:
        for line in (folder / "programs" / f"{kind}.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            cases.append(case_of(record, known))
    return cases


def case_of(record: Mapping[str, Any], known: Mapping[str, ToolSpec]) -> Case:
    """One program: calls of its tools become calls of `tools`, a namespace becomes a group."""
    code: str = record["code"]
    tree = ast.parse(code)
    names = own_names(record["tools"] or "")
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "tools"
        for alias in node.names
    }
    specs: dict[tuple[str | None, str], ToolSpec] = {}
    is_typed = record["kind"] == "toolcalls"
    called: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            group, name, root = place_of(node.func)
            if name and (root in names or root in imported):
                called.add(root)
                typed = known.get(name) if is_typed else None
                key = (group, name)
                specs[key] = typed or merged(specs.get(key), name, group, node)
    prelude = "".join(f"{name} = 'value'\n" for name in sorted(names - called))
    for root in sorted(called - imported):
        if any(isinstance(n, ast.Attribute) and place_of(n)[2] == root for n in ast.walk(tree)):
            nested = re.search(rf"\b{root}\.\w+\.\w+\(", code)
            code = re.sub(rf"(?<![\w.]){root}\.", "" if nested else f"{root}.", code)
        else:
            code = re.sub(rf"(?<![\w.]){root}\(", f"tools.{root}(", code)
    return Case(
        name=record["id"],
        kind=record["kind"],
        code=prelude + code,
        specs=tuple(specs.values()),
        is_typed=is_typed,
    )


def own_names(tools: str) -> set[str]:
    """The names that the source of a program's tools binds."""
    found: set[str] = set()
    for node in ast.parse(tools).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(one.id for one in node.targets if isinstance(one, ast.Name))
    return {name for name in found if not name.startswith("_")}


def place_of(function: ast.expr) -> tuple[str | None, str, str]:
    """Group, name and root of a dotted function; ("", "") for any other."""
    parts: list[str] = []
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    if not isinstance(function, ast.Name):
        return None, "", ""
    parts.append(function.id)
    return (parts[1] if len(parts) > 1 else None), parts[0], function.id


def merged(spec: ToolSpec | None, name: str, group: str | None, call: ast.Call) -> ToolSpec:
    """The definition that a call implies: its arguments, of any type."""
    properties: dict[str, object] = dict(spec.parameters["properties"]) if spec else {}  # type: ignore[call-overload]  # ours
    for number, _ in enumerate(call.args):
        properties.setdefault(f"argument_{number}", {})
    for keyword in call.keywords:
        properties.setdefault(keyword.arg or "rest", {})
    return ToolSpec(name, "", {"type": "object", "properties": properties}, None, group)


def unbound_names(code: str) -> set[str]:
    """Names that a program reads and never binds: to report them is right."""
    tree = ast.parse(code)
    bound = set(vars(builtins)) | {"tools", "catalog", "ToolCallError"}
    read: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return read - bound


def is_true(finding: Finding, case: Case) -> bool:
    """Whether a finding is of a name that is bound nowhere."""
    named = re.match(r"`(\w+)` is not defined", finding.message)
    return named is not None and named[1] in unbound_names(case.code)


# --- planted mistakes -------------------------------------------------------------------------

_CALL = re.compile(r"tools\.(\w+)\((\w+)=")


def plant(case: Case) -> Iterator[tuple[str, str]]:
    """The program with one mistake: what was planted, and the text."""
    first = _CALL.search(case.code)
    spec = {spec.name: spec for spec in case.specs}.get(first[1]) if first else None
    if first is None or spec is None:
        return
    yield "unknown-tool", edit(case.code, first, 1, f"{first[1]}s_")
    yield "unknown-argument", edit(case.code, first, 2, f"{first[2]}_name")
    yield "unresolved-name", case.code + "\nprint(reslut_of_it)\n"
    properties: Any = spec.parameters["properties"]
    if properties[first[2]].get("type") in ("string", "integer"):
        wrong = "b''" if properties[first[2]]["type"] == "string" else "'many'"
        yield "argument-type", f"tools.{first[1]}({first[2]}={wrong})\n{case.code}"
    if first[2] in spec.parameters.get("required", ()):  # type: ignore[operator]  # a list
        yield "missing-argument", f"tools.{first[1]}()\n{case.code}"
    output: Any = spec.output_schema or {}
    if output.get("properties"):
        call = f"tools.{first[1]}(**given)"
        yield "unknown-key", f"given = {{}}\n{case.code}\nlast = {call}\nprint(last['no_such_key'])"
        lines = f"    last = {call}\n    print(last[{next(iter(output['properties']))!r}])\n"
        yield "forgotten-await", f"given = {{}}\nasync def main():\n{lines}await main()\n"


def edit(code: str, found: re.Match[str], group: int, text: str) -> str:
    return code[: found.start(group)] + text + code[found.end(group) :]


# --- stubs and time ---------------------------------------------------------------------------


def stub_errors(sdk: Sdk) -> int:
    """How much ty, with all its usual rules, has against the files of an SDK."""
    command = [str(Path(sys.executable).with_name("ty")), "check", "--output-format", "concise"]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in make_workspace(sdk).files.items():
            if name.endswith(".pyi"):
                Path(folder, name).write_text(text, "utf-8")
        done = subprocess.run(
            [*command, folder], capture_output=True, text=True, cwd=folder, check=False
        )
    return sum(" error[" in line for line in done.stdout.splitlines())


def tools_of(folder: Path, cases: list[Case], count: int) -> list[ToolSpec]:
    """Exactly so many real tools: those of the programs first, then others in groups."""
    own = {spec.name: spec for case in cases for spec in case.specs}
    others = [
        spec for path in sorted((folder / "tools").glob("*.jsonl")) for spec in read_specs(path)
    ]
    further = (
        ToolSpec(s.name, s.description, s.parameters, s.output_schema, f"{s.group or 'own'}_{at}")
        for at in count_from(0)
        for s in others
    )
    return list(islice(chain(own.values(), further), count))


async def median_ms(check: Callable[[str], Awaitable[object]], programs: list[str]) -> float:
    """Of a check, in the long run: each program was seen once before."""
    times: list[float] = []
    for program in [*programs, *programs, *programs]:
        began = time.perf_counter()
        await check(program)
        times.append(time.perf_counter() - began)
    return statistics.median(times[len(programs) :]) * 1e3


async def measure(folder: Path, *, show: bool) -> bool:
    """Print the tables; whether nothing is wrong in them."""
    cases = read_cases(folder)
    is_right = True
    async with Checker(deadline_s=30) as checker:
        print(f"{'programs':12} {'checked':>8} {'true':>6} {'false':>6}")
        for kind in KINDS:
            counts: Counter[str] = Counter()
            for case in (one for one in cases if one.kind == kind):
                checked = await checker.check(build_sdk(case.specs), case.code)
                counts["skipped" if checked.skipped else "checked"] += 1
                for finding in checked.findings:
                    truth = is_true(finding, case)
                    counts["true" if truth else "false"] += 1
                    if show or not truth:
                        print(f"  {case.name}: {finding}")
                if checked.skipped:
                    print(f"  {case.name}: {checked.skipped}")
            print(f"{kind:12} {counts['checked']:8} {counts['true']:6} {counts['false']:6}")
            is_right &= not counts["false"] and not counts["skipped"]

        planted: Counter[str] = Counter()
        found: Counter[str] = Counter()
        for case in (one for one in cases if one.is_typed):
            for rule, code in plant(case):
                checked = await checker.check(build_sdk(case.specs), code)
                planted[rule] += 1
                if any(finding.rule == rule for finding in checked.findings):
                    found[rule] += 1
                elif show:
                    print(f"  {case.name}: no {rule} in\n{code}\n  {checked}")
        print(f"\n{'planted':20} {'found':>6} {'of':>6}")
        for rule, count in planted.items():
            print(f"{rule:20} {found[rule]:6} {count:6}")

        print(f"\n{'stubs':24} {'errors':>6}")
        for path in sorted((folder / "tools").glob("*.jsonl")):
            errors = stub_errors(build_sdk(read_specs(path)))
            is_right &= not errors
            print(f"{path.stem:24} {errors:6}")

        print(f"\n{'tools':>6} {'programs':>8} {'first ms':>9} {'median ms':>10}")
        for count in (50, 1395):
            specs = tools_of(folder, [case for case in cases if case.is_typed], count)
            sdk, names = build_sdk(specs), {spec.name for spec in specs}
            programs = [
                case.code
                for case in cases
                if case.is_typed and names.issuperset(spec.name for spec in case.specs)
            ]
            began = time.perf_counter()
            await checker.check(sdk, "print(1)\n")
            first_ms = (time.perf_counter() - began) * 1e3
            median = await median_ms(partial(checker.check, sdk), programs)
            print(f"{count:6} {len(programs):8} {first_ms:9.1f} {median:10.2f}")
    return is_right


def main() -> None:
    """Measure one folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="true findings and missed mistakes too")
    options = parser.parse_args()
    is_right = anyio.run(lambda: measure(options.folder, show=options.show))
    sys.exit(not is_right)


if __name__ == "__main__":
    main()
