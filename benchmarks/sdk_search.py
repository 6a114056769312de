"""Recall of `Sdk.search` on the real user queries of BFCL live, over all of its tools at once.

    python benchmarks/sdk_search.py FOLDER

FOLDER is the data folder of an installed `bfcl-eval` package (`bfcl_eval/data`): questions with
their functions, and the possible answers. For every query the needed tools are those of its answer;
the index holds the tools of all queries. Printed: recall (the share of needed tools among the first
k), the share of queries with all needed tools there, and the same with names alone.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from codemode.sdkgen import Sdk, ToolSpec, build_sdk

PARTS = ("simple", "multiple", "parallel", "parallel_multiple")
CUTS = (1, 3, 5, 10)


def rows(path: Path) -> list[dict[str, object]]:
    """The records of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def last_words_of_the_user(question: object) -> str:
    """The text of the user's messages of the last turn."""
    turns = question if isinstance(question, list) else []
    messages = turns[-1] if turns and isinstance(turns[-1], list) else turns
    return "\n".join(m["content"] for m in messages if m.get("role") == "user")


def load(folder: Path) -> tuple[list[ToolSpec], list[tuple[str, frozenset[str]]]]:
    """Every tool (the first of each name), and every query with the tools that its answer calls."""
    tools: dict[str, ToolSpec] = {}
    queries: list[tuple[str, frozenset[str]]] = []
    for part in PARTS:
        answers = {
            row["id"]: row["ground_truth"]
            for row in rows(folder / "possible_answer" / f"BFCL_v4_live_{part}.json")
        }
        for row in rows(folder / f"BFCL_v4_live_{part}.json"):
            for function in row["function"]:
                spec = ToolSpec(function["name"], function["description"], function["parameters"])
                tools.setdefault(spec.name, spec)
            needed = frozenset(name for call in answers.get(row["id"], ()) for name in call)
            query = last_words_of_the_user(row["question"])
            if needed and query:
                queries.append((query, needed))
    return list(tools.values()), queries


def measure(sdk: Sdk, queries: Sequence[tuple[str, frozenset[str]]]) -> Iterable[str]:
    """One line a cut: recall, and queries served in full."""
    label = {binding.path: binding.label for binding in sdk.bindings}
    found = [[label[hit.name] for hit in sdk.search(query, max(CUTS))] for query, _ in queries]
    for cut in CUTS:
        shares = [
            len(needed & set(hits[:cut])) / len(needed)
            for hits, (_, needed) in zip(found, queries, strict=True)
        ]
        full = sum(share == 1 for share in shares) / len(shares)
        yield f"  @{cut:<3} recall {sum(shares) / len(shares):6.1%}   all needed {full:6.1%}"


def main() -> None:
    """Measure with everything indexed, then with names alone."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tools, queries = load(Path(sys.argv[1]))
    print(f"{len(queries)} queries over {len(tools)} tools")
    bare = [replace(tool, description="", parameters={}) for tool in tools]
    for title, pool in (("names, descriptions, parameters", tools), ("names alone", bare)):
        sdk = build_sdk(pool)
        sdk.search("warm")
        began = time.perf_counter()
        lines = list(measure(sdk, queries))
        each = (time.perf_counter() - began) / len(queries)
        print(f"{title} ({each * 1e3:.2f} ms a search)", *lines, sep="\n")


if __name__ == "__main__":
    main()
