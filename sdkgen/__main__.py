"""Render a file of tools: `python -m codemode.sdkgen TOOLS.jsonl [--format ...]`.

The file has one tool a line: `name`, `description`, `inputSchema` (or `parameters`), and where they
exist `outputSchema` and `group` (or `source`).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from codemode.sdkgen.files import FORMATS, read_tools, render
from codemode.sdkgen.spec import ToolSpec


def read_specs(source: Path) -> list[ToolSpec]:
    """The tools of a file; `-` is standard input.

    Raises:
        OSError: The file cannot be read.
        ValueError: It does not hold tools.
    """
    return read_tools(sys.stdin.read() if str(source) == "-" else source.read_text("utf-8"))


def main(arguments: list[str] | None = None) -> int:
    """Parse the arguments, print, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m codemode.sdkgen", description=__doc__)
    parser.add_argument("tools", type=Path, help="one tool a line; - is standard input")
    parser.add_argument("--format", choices=FORMATS, default="catalog", help="what to print")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="most tokens of the catalog")
    parser.add_argument("--explain", metavar="TOOL", help="everything that was made of one tool")
    options = parser.parse_args(arguments)
    try:
        tools = read_specs(options.tools)
        shown = render(tools, options.format, token_budget=options.budget, explain=options.explain)
    except (OSError, ValueError, LookupError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(shown.rstrip("\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
