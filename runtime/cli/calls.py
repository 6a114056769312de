"""What the commands of `codemode audit` have in common: a log to read, and which of its calls."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, get_args

import typer

from codemode.runtime.audit.tree import Filter
from codemode.runtime.cli.output import refuse
from codemode.runtime.log.store import EventStore, open_store
from codemode.runtime.log.vocabulary import DispatchOutcome

#: What a call can have come to; the last two are of calls without a settlement.
OUTCOMES: Final = (*get_args(DispatchOutcome), "refused", "open")

Log = Annotated[Path, typer.Argument(metavar="LOG", help="A session log (SQLite, or .jsonl).")]
Session = Annotated[str | None, typer.Option(metavar="ID", help="Only this session.")]
CallId = Annotated[
    str, typer.Argument(metavar="CALL_ID", help="Of the run_code call, as audit show has it.")
]
HomeSession = Annotated[
    str | None,
    typer.Option(metavar="ID", help="The session, where several have a call of that id."),
]
ItsJournal = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The run journal; by default LOG.journal.")
]
ToolName = Annotated[
    str | None, typer.Option("--tool", metavar="NAME", help="Only calls of this tool, as `git.*`.")
]
OutcomeName = Annotated[
    str | None,
    typer.Option(
        "--outcome", metavar="OUTCOME", help=f"Only calls with this outcome: {', '.join(OUTCOMES)}."
    ),
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only calls from this time on (ISO 8601)."),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="TIME", help="Only calls up to this time (ISO 8601)."),
]
Text = Annotated[
    str | None, typer.Option("--text", metavar="TEXT", help="Only calls that hold this text.")
]


@contextmanager
def opened(log: Path) -> Generator[EventStore]:
    """The log, for reading only."""
    store = open_store(log, read_only=True)
    try:
        yield store
    finally:
        store.close()


def sessions_of(store: EventStore, session: str | None) -> tuple[str, ...]:
    """The sessions that are asked for; one that the log does not have is a usage error."""
    known = store.sessions()
    if not known:
        refuse(f"{store.location} has no session")
    if session is None:
        return known
    if session not in known:
        refuse(f"{store.location} has no session {session}")
    return (session,)


def wanted_calls(
    tool: str | None, outcome: str | None, since: str | None, until: str | None, text: str | None
) -> Filter:
    """The filter that the options stand for; an outcome that no call can have is a usage error."""
    if outcome is not None and outcome not in OUTCOMES:
        refuse(f"--outcome {outcome!r}: expected one of {', '.join(OUTCOMES)}")
    return Filter(
        tool=tool,
        outcome=outcome,
        since=_when(since, "--since"),
        until=_when(until, "--until"),
        text=text,
    )


def _when(text: str | None, option: str) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        refuse(f"{option} {text!r}: expected ISO 8601, such as 2031-05-01T12:00:00Z")
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
