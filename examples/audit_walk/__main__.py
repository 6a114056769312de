"""A reviewer's walk through a recorded session, and through forged copies of it.

    python -m examples.audit_walk

The recorded session has a denied call, an approval, a failure, a secret, and two calls whose
outcome nobody waited for. Each forgery is judged twice: with nothing but the file, and with the
host's public key. Then a program of it is run again. docs/audit.md is the same walk by command.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anyio

from codemode.runtime.audit import Report, build_tree, render_tree, verify
from codemode.runtime.audit.replay import Replay, replay
from codemode.runtime.log import open_store, read_events
from codemode.runtime.log.journal import SqliteJournal, journal_path
from codemode.runtime.log.signing import read_public_key
from examples.audit_walk.tamper import (
    FORGERIES,
    LOG,
    copy_of_record,
    other_answer,
    other_program,
    read,
    write,
)


def judged(log: Path, public_key: bytes | None = None) -> Report:
    """What verify says of a log; with a key, strictly."""
    store = open_store(log, read_only=True)
    try:
        return verify(store, public_key=public_key, strict=public_key is not None)
    finally:
        store.close()


def verdict(report: Report) -> str:
    """The verdict in a line."""
    if report.first_broken is not None:
        return f"event {report.first_broken.seq} {report.first_broken.message}"
    (session,) = report.sessions
    if not report.ok:
        return f"not anchored after event {session.anchored_to}"
    return "ok" if session.is_closed else f"ok, unanchored after event {session.anchored_to}"


async def again(folder: Path, call_id: str) -> Replay:
    """Run a program again from the log and the journal of a folder."""
    log = folder / LOG
    store = open_store(log, read_only=True)
    journal = SqliteJournal(journal_path(log), read_only=True)
    try:
        return await replay(store, journal, call_id)
    finally:
        journal.close()
        store.close()


async def walk(folder: Path) -> None:
    """The walk, in a folder that may be written."""
    honest = copy_of_record(folder / "honest")
    key = read_public_key(str(honest / "host.pem"))
    store = open_store(honest / LOG, read_only=True)
    (session,) = store.sessions()
    tree = build_tree(read_events(store, session))
    store.close()
    sys.stdout.write(render_tree(tree))
    (signed,) = judged(honest / LOG, key).sessions
    print(f"\nthe host's key vouches for the first {signed.signed_to} of {signed.events} events\n")
    for name, forge in {"honest": list, **FORGERIES}.items():
        copy = folder / f"{name}.jsonl"
        write(copy, forge(read(honest / LOG)))
        print(f"{name:<10}without the key: {verdict(judged(copy))}")
        print(f"{'':<10}with the key:    {verdict(judged(copy, key))}")
    print()
    for title, forge_both in (
        ("honest", None),
        ("another answer in the journal", other_answer),
        ("another program in log and journal", other_program),
    ):
        copies = copy_of_record(folder / title.replace(" ", "_"))
        if forge_both is not None:
            forge_both(copies)
        found = await again(copies, tree.turns[0].calls[0].call_id)
        print(f"replay, {title}: {found.verdict}: {found.reason}")
        if found.difference is not None:
            print(f"  recorded: {found.difference.recorded}")
            print(f"  replayed: {found.difference.replayed}")


async def main() -> None:
    """Walk in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        await walk(Path(folder))


if __name__ == "__main__":
    anyio.run(main)
