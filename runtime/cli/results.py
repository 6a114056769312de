"""What a run comes to, on the command line: its output, its result, the files that it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, TextIO

import typer

from codemode.runtime.cli.output import complain, print_json, print_json_line, refuse
from codemode.runtime.content import content_as_json
from codemode.runtime.result import Result
from codemode.sandbox.program import LogEntry, OnOutput, Outcome
from codemode.sandbox.values import thaw

StreamJson = Annotated[
    bool,
    typer.Option(
        "--stream-json", help="Print a JSON line for each piece of output, then the result."
    ),
]


def output_to(stream: TextIO) -> OnOutput:
    """Writes each piece of output as a JSON line."""

    def print_output(entry: LogEntry) -> None:
        print_json_line({"type": "output", "stream": entry.stream, "text": entry.text}, stream)

    return print_output


def print_result(result: Result, *, as_json: bool, as_stream: bool) -> None:
    """What the model would read, or all of it as JSON."""
    if as_stream:
        print_json_line({"type": "result", **_as_json(result)})
    elif as_json:
        print_json(_as_json(result))
    else:
        typer.echo(result.text, err=result.is_error)


def _as_json(result: Result) -> dict[str, object]:
    return {
        "call_id": result.call_id,
        "is_error": result.is_error,
        "error_info": None if result.error_info is None else result.error_info.as_json(),
        "value": thaw(result.value),
        "content": content_as_json(result.content),
        "contexts": [
            {"source": context.source, "content": content_as_json(context.content)}
            for context in result.contexts
        ],
        "concludes_turn": result.concludes_turn,
        "stops_turn": result.stops_turn,
    }


def make_folder(folder: Path) -> None:
    """Make the folder for artifacts, before the program has done anything."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(f"--artifacts {folder}: {error.strerror or error}")


def write_artifacts(folder: Path, outcomes: Iterable[Outcome], inputs: Mapping[str, bytes]) -> bool:
    """Write what is new or changed; a name that would leave the folder is refused.

    Returns:
        Whether everything could be written that may be.
    """
    root = folder.resolve()
    is_whole = True
    for outcome in outcomes:
        for name, data in outcome.artifacts.items():
            if inputs.get(name) == data:
                continue
            target = (root / name.lstrip("/")).resolve()
            if not target.is_relative_to(root):
                complain(f"artifact {name!r} lies outside the folder; left out")
                continue
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            except OSError as error:
                complain(f"artifact {name!r} cannot be written: {error.strerror or error}")
                is_whole = False
    return is_whole
