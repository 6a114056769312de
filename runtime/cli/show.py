"""`codemode audit show`: the tree of a log, a turn at a time, or the events of a live session."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import anyio
import typer

from codemode.runtime.audit import Filter, wants_colour
from codemode.runtime.audit.building import turns_of
from codemode.runtime.audit.follow import follow as follow_session
from codemode.runtime.audit.reading import ReadableEvents, outline_of
from codemode.runtime.audit.show import render_lines
from codemode.runtime.audit.tree import SessionTree, TurnNode
from codemode.runtime.cli.calls import (
    Log,
    OutcomeName,
    Session,
    Since,
    Text,
    ToolName,
    Until,
    opened,
    sessions_of,
    wanted_calls,
)
from codemode.runtime.cli.options import Json
from codemode.runtime.cli.output import FAILED, complain, print_json_line, refuse
from codemode.runtime.log.store import EventStore


def command(
    log: Log,
    session: Session = None,
    tool: ToolName = None,
    outcome: OutcomeName = None,
    since: Since = None,
    until: Until = None,
    text: Text = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Print each event of a live session as a JSON line.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the tree: turns, programs, and each nested call with its outcome, duration and line.

    Exit status 1 when a part of the log cannot be read; the rest is shown.
    """
    wanted = wanted_calls(tool, outcome, since, until, text)
    if follow:
        anyio.run(_follow, log, session, wanted)
        return
    with opened(log) as store:
        unreadable = (_print_json if as_json else _print_text)(store, session, wanted)
        damage = store.damage()
    for part in damage:
        complain(f"{log}: not an event, and not shown: {part}")
    if unreadable:
        complain(f"{log}: {unreadable} events cannot be read and are not shown; verify says which")
    if unreadable or damage:
        raise typer.Exit(FAILED)


def _print_text(store: EventStore, session: str | None, wanted: Filter) -> int:
    """Print the sessions; gives how many events could not be read."""
    width = shutil.get_terminal_size().columns
    colour = wants_colour(sys.stdout)
    unreadable = 0
    for name in sessions_of(store, session):
        events = ReadableEvents(store, name)
        head, turns = _read(events, wanted)
        for line in render_lines(head, turns, width=width, colour=colour):
            sys.stdout.write(line)
        unreadable += events.unreadable
    sys.stdout.flush()
    return unreadable


def _print_json(store: EventStore, session: str | None, wanted: Filter) -> int:
    """The same as one JSON document, written as it is made."""
    unreadable = 0
    names = sessions_of(store, session)
    sys.stdout.write("[")
    for at, name in enumerate(names):
        events = ReadableEvents(store, name)
        head, turns = _read(events, wanted)
        fields = json.dumps({**head.as_json(), "turns": []}, ensure_ascii=False, indent=2)
        sys.stdout.write((",\n" if at else "\n") + fields.removesuffix("]\n}"))
        for chunk in _json_turns(turns):
            sys.stdout.write(chunk)
        sys.stdout.write("]}")
        unreadable += events.unreadable
    sys.stdout.write("\n]\n")
    sys.stdout.flush()
    return unreadable


def _json_turns(turns: Iterable[TurnNode]) -> Iterator[str]:
    for at, turn in enumerate(turns):
        yield (",\n" if at else "\n") + json.dumps(turn.as_json(), ensure_ascii=False, indent=2)


def _read(events: ReadableEvents, wanted: Filter) -> tuple[SessionTree, Iterator[TurnNode]]:
    """The session without its turns, and these one by one."""
    outline = outline_of(events.records())
    events.unreadable = 0  # what the outline met is met again
    return replace(outline.head, turns=()), wanted.turns(turns_of(events, outline.late))


async def _follow(log: Path, session: str | None, wanted: Filter) -> None:
    with opened(log) as store:
        names = store.sessions()
        if session is None and not names:
            refuse(f"{log}: no session yet; name one with --session")
        async for event in follow_session(store, session or names[-1], sleep=anyio.sleep):
            if wanted == Filter() or wanted.accepts_event(event):
                print_json_line(event.as_json())
