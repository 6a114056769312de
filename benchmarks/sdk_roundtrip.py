"""For each tool of a folder: generated valid arguments, as a call in the SDK's dialect, arrive exactly.

    python -m benchmarks.sdk_roundtrip FOLDER [--examples N]

FOLDER holds tool definitions, one JSON object a line of each .jsonl file. Arguments are generated from
each schema, mapped by the guest's own code, judged by the pipeline, and compared with what the handler
receives. Prints a line for each source; status 1 on any difference.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import anyio

from codemode.runtime.definition import Tool
from codemode.runtime.execution import CallRequest
from codemode.runtime.pipeline import Pipeline
from codemode.runtime.registry import Registry
from codemode.sandbox.guest.bindings import arrange
from codemode.sandbox.program import Parameter, Signature
from codemode.sandbox.values import thaw
from codemode.sdkgen import ToolSpec, build_sdk, compile_schema
from codemode.sdkgen.__main__ import read_specs


def sample(schema: Any, root: Any, number: int, depth: int = 0) -> Any:
    """A value that `schema` probably admits; `number` varies it."""
    if not isinstance(schema, dict) or depth > 6:
        return "x"
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        target = root
        for part in reference[2:].split("/"):
            target = target.get(part, {}) if isinstance(target, dict) else {}
        return sample(target, root, number, depth + 1)
    for key in ("const", "default"):
        if key in schema and (key == "const" or number % 3 == 0):
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][number % len(schema["enum"])]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return sample(schema[key][number % len(schema[key])], root, number, depth + 1)
    kind = schema.get("type")
    kind = kind[number % len(kind)] if isinstance(kind, list) and kind else kind
    if kind in ("object", "dict") or "properties" in schema:
        required = set(schema.get("required") or ())
        return {
            key: sample(inner, root, number + at, depth + 1)
            for at, (key, inner) in enumerate((schema.get("properties") or {}).items())
            if key in required or (number + at) % 2 == 0
        }
    if kind in ("array", "list", "tuple"):
        return [sample(schema.get("items", {}), root, number, depth + 1)] * max(
            1, schema.get("minItems", 0)
        )
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    simple = {
        "integer": int(low) + 1,
        "number": low + 0.5,
        "float": low + 0.5,
        "boolean": number % 2 == 0,
        "null": None,
    }
    return simple.get(kind, "x" * max(1 + number, schema.get("minLength", 0)))


def examples(spec: ToolSpec, count: int) -> list[dict[str, Any]]:
    """Those samples that the validator admits."""
    validator = compile_schema(spec.parameters, lenient=True)
    drawn = (sample(spec.parameters, spec.parameters, number) for number in range(count))
    return [value for value in drawn if isinstance(value, dict) and validator.is_valid(value)]


async def verdict(spec: ToolSpec, count: int) -> str:
    """`exact`, `no examples` where none was found, or what went wrong."""
    cases = examples(spec, count)
    if not cases:
        return "no examples"
    (binding,) = build_sdk([spec]).bindings
    shape = Signature(
        parameters=tuple(
            Parameter(key=p.key, name=p.name, required=p.required, is_object=p.is_object)
            for p in binding.parameters
        ),
        is_closed=binding.is_closed,
    )
    names = {p.key: p.name for p in binding.parameters}
    received: list[Any] = []

    async def handler(arguments: Any, run: Any) -> None:
        received.append(thaw(arguments))

    registry = Registry()
    registry.register(Tool.raw(spec.name, "", spec.parameters, handler, is_adapted=True))
    async with Pipeline(registry) as pipeline:
        for number, case in enumerate(cases):
            for call in ({names.get(k, k): v for k, v in case.items()}, dict(case)):
                sent = arrange(shape, (), call)
                result = await pipeline.execute(
                    CallRequest(call_id=str(number), name=spec.name, arguments=sent, is_host=True)
                )
                if result.is_error:
                    return f"refused: {result.text[:80]}"
                if received[-1] != case:
                    return f"differs: {case!r} became {received[-1]!r}"[:120]
    return "exact"


async def main() -> int:
    """Status 0 when every tool with examples is exact."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--examples", type=int, default=24)
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for path in sorted(options.folder.glob("*.jsonl")):
        counts: Counter[str] = Counter()
        for spec in read_specs(path):
            said = await verdict(spec, options.examples)
            counts[said.split(":")[0].split(" (")[0]] += 1
            if said.startswith(("refused", "differs")):
                print(f"  {spec.name}: {said}")
        total += counts
        print(f"{path.stem:<24}{json.dumps(counts)}", flush=True)
    print(f"{'all':<24}{json.dumps(total)}")
    return int(any(key in total for key in ("refused", "differs")))


if __name__ == "__main__":
    sys.exit(anyio.run(main))
