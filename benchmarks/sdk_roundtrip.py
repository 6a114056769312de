"""For each tool of a folder: generated valid arguments, as calls in the SDK's dialect, arrive exactly.

    python -m benchmarks.sdk_roundtrip FOLDER [--examples N]

FOLDER holds tool definitions, one JSON object a line of each .jsonl file. Arguments are generated from
each schema, mapped by the guest's own code in every spelling of a call, judged by the pipeline, and
compared with what the handler receives. Prints a line for each source, and names every tool that has
no generated argument object, with what the nearest candidate lacks; status 1 on any difference.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import anyio

from codemode.sdkgen import ToolSpec
from codemode.sdkgen.__main__ import read_specs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from round_trip import fault
from schema_values import arguments, obstacle


async def verdict(spec: ToolSpec, count: int) -> tuple[str, str]:
    """`exact`, `no examples` or `differs`, and what was found."""
    cases = arguments(spec, count)
    if not cases:
        return "no examples", obstacle(spec)
    said = await fault(spec, cases)
    return ("differs", said[:200]) if said else ("exact", "")


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
            said, found = await verdict(spec, options.examples)
            counts[said] += 1
            if found:
                print(f"  {spec.name}: {said}: {found}")
        total += counts
        print(f"{path.stem:<24}{json.dumps(counts)}", flush=True)
    print(f"{'all':<24}{json.dumps(total)}")
    return int("differs" in total)


if __name__ == "__main__":
    sys.exit(anyio.run(main))
