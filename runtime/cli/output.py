"""What the commands print: JSON for machines on stdout, complaints on stderr, and exit codes."""

from __future__ import annotations

import json
import sys
from typing import Final, NoReturn, TextIO

import typer

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2


def print_json(value: object) -> None:
    """One JSON document on stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_json_line(value: object, stream: TextIO | None = None) -> None:
    """One JSON document on one line of stdout, or of what stands for it, at once."""
    out = sys.stdout if stream is None else stream
    out.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n")
    out.flush()


def printable(text: str) -> str:
    """Untrusted text for a terminal: what cannot be printed is shown as an escape."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def complain(message: str) -> None:
    """One line on stderr."""
    typer.echo(f"codemode: {message}", err=True)


def refuse(message: str) -> NoReturn:
    """A usage error: say what is wrong and end with exit code 2."""
    complain(message)
    raise typer.Exit(USAGE)
