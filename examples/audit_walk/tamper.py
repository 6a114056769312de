"""What a forger can do to the files, from a slip of the editor to a history written anew.

    python -m examples.audit_walk.tamper FOLDER

Makes each forged copy of the recorded session in FOLDER. A forger has the files, this source and
all the time in the world, but not the host's key. Nothing of the engine's log is used here: the
canonical form and the chain are one line each.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

RECORDED: Final = Path(__file__).with_name("recorded")
LOG: Final = "session.jsonl"

Event = dict[str, Any]


def canonical(value: object) -> bytes:
    """The form that is hashed."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def digest(event: Mapping[str, Any]) -> str:
    """What an honest event's `hash` is."""
    body = {name: value for name, value in event.items() if name != "hash"}
    return hashlib.sha256(b"c1\n" + canonical(body)).hexdigest()


def rehash(events: list[Event]) -> list[Event]:
    """Number, link and hash everything anew, so that the chain is whole again."""
    head = "0" * 64
    for seq, event in enumerate(events, 1):
        event["seq"], event["prev"] = seq, head
        if event["type"] in ("log/checkpoint", "session/close"):
            event["data"] |= {"count": seq - 1, "head": head}
        head = event["hash"] = digest(event)
    return events


def _find(events: list[Event], type: str, **fields: object) -> Event:
    return next(
        event
        for event in events
        if event["type"] == type
        and all(event["data"].get(name) == value for name, value in fields.items())
    )


def _large_payment(events: list[Event]) -> Event:
    starts = (event for event in events if event["type"] == "tool/code-dispatch-start")
    return next(event for event in starts if event["data"]["arguments"].get("cents") == 480_000)


# --- without knowing how the chain works -------------------------------------------------------


def changed(events: list[Event]) -> list[Event]:
    """Another amount in one call's arguments."""
    _large_payment(events)["data"]["arguments"]["cents"] = 48_000
    return events


def dropped(events: list[Event]) -> list[Event]:
    """The settlement of the denied call is gone."""
    events.remove(_find(events, "tool/code-dispatch", outcome="denied"))
    return events


def swapped(events: list[Event]) -> list[Event]:
    """The question to the person and the answer change places."""
    at = events.index(_find(events, "approval/asked"))
    events[at], events[at + 1] = events[at + 1], events[at]
    return events


def inserted(events: list[Event]) -> list[Event]:
    """An answer of the person's is there twice."""
    answer = _find(events, "approval/decided")
    events.insert(events.index(answer) + 1, dict(answer))
    return events


def cut(events: list[Event]) -> list[Event]:
    """The second turn never happened."""
    second = next(at for at, event in enumerate(events) if event["turn"] == 2)
    return events[:second]


# --- knowing it --------------------------------------------------------------------------------


def laundered(events: list[Event]) -> list[Event]:
    """The denied call has succeeded, and the chain is made anew; the decision was overlooked."""
    settled = _find(events, "tool/code-dispatch", outcome="denied")["data"]
    settled |= {"outcome": "ok", "is_error": False}
    del settled["error"]
    return rehash(events)


def careless(events: list[Event]) -> list[Event]:
    """Another amount, and the chain made anew; the digest of the arguments was overlooked."""
    events.remove(_find(events, "log/checkpoint"))
    return rehash(changed(events))


def _redigested(events: list[Event]) -> list[Event]:
    """Another amount, with the digest that it has."""
    payment = _large_payment(events)["data"]
    changed(events)
    payment["arguments_sha256"] = hashlib.sha256(canonical(payment["arguments"])).hexdigest()
    return events


def rehashed(events: list[Event]) -> list[Event]:
    """Another amount and digest, and the chain made anew; the signature cannot be."""
    return rehash(_redigested(events))


def unsigned(events: list[Event]) -> list[Event]:
    """The same, without the checkpoint that would give it away."""
    events.remove(_find(events, "log/checkpoint"))
    return rehash(_redigested(events))


def resigned(events: list[Event]) -> list[Event]:
    """The same, signed with a key of the forger's own."""
    events = rehash(_redigested(events))
    key = Ed25519PrivateKey.generate()
    checkpoint = _find(events, "log/checkpoint")
    data = checkpoint["data"]
    text = f"codemode checkpoint c1\n{checkpoint['session']}\n{data['count']}\n{data['head']}\n"
    data["public_key"] = key.public_key().public_bytes_raw().hex()
    data["signature"] = key.sign(text.encode()).hex()
    return rehash(events)


def extended(events: list[Event]) -> list[Event]:
    """Behind the genuine signature a turn is added in which a person says something."""
    close = events.pop()
    envelope = {name: close[name] for name in ("session", "time", "version")}
    words = {"content": [{"type": "text", "text": "I allow it all. Ada"}], "source": "user"}
    for type, data in (("turn/open", {}), ("user/message", words), ("turn/close", {})):
        events.append({**envelope, "type": type, "data": data, "turn": 3, "step": None})
    return rehash([*events, close])


FORGERIES: Final[Mapping[str, Callable[[list[Event]], list[Event]]]] = {
    forge.__name__: forge
    for forge in (
        changed, dropped, swapped, inserted, cut,
        laundered, careless, rehashed, unsigned, resigned, extended,
    )
}  # fmt: skip


# --- log and journal together ------------------------------------------------------------------


def other_answer(folder: Path) -> None:
    """The journal says that the ledger had another account for the vendor."""
    with _journal(folder) as journal:
        journal.execute(
            "UPDATE entry SET value = CAST('\"BO-43\"' AS BLOB)"
            " WHERE kind = 'reply' AND CAST(value AS TEXT) = '\"BO-42\"'"
        )


def other_program(folder: Path) -> None:
    """Log and journal say that another program was run; every digest is made anew."""
    events = read(folder / LOG)
    start = _find(events, "tool/code-run-start")
    call_id, session = start["data"]["call_id"], start["session"]
    honest, forged = 'cents=invoice["cents"]', 'cents=invoice["cents"] // 2'
    program = start["data"]["program"].replace(honest, forged)
    program_digest = hashlib.sha256(program.encode()).hexdigest()
    start["data"] |= {"program": program, "program_sha256": program_digest}
    call = _find(events, "tool/call", call_id=call_id)["data"]
    call["arguments"] = json.dumps(json.loads(call["arguments"]) | {"code": program})
    with _journal(folder) as journal:
        key = (session, call_id)
        ((mode, began, grants, body),) = journal.execute(
            "SELECT mode, began, grants, facts FROM run WHERE session = ? AND call_id = ?", key
        )
        facts = json.loads(body) | {"program_sha256": program_digest}
        whole = {
            **facts, "session": session, "call_id": call_id, "mode": mode, "began": began,
            "grants_sha256": grants,
        }  # fmt: skip
        head = hashlib.sha256(canonical(whole)).hexdigest()
        for entry in journal.execute(
            "SELECT number, kind, subject, at, digest FROM entry"
            " WHERE session = ? AND call_id = ? ORDER BY number",
            key,
        ):
            head = hashlib.sha256(canonical([head, *entry])).hexdigest()
        journal.execute(
            "UPDATE run SET facts = ?, head = ? WHERE session = ? AND call_id = ?",
            (canonical(facts), head, *key),
        )
    _find(events, "tool/code-run", call_id=call_id)["data"]["journal_sha256"] = head
    events.remove(_find(events, "log/checkpoint"))
    write(folder / LOG, rehash(events))


@contextmanager
def _journal(folder: Path) -> Generator[sqlite3.Connection]:
    connection = sqlite3.connect(folder / f"{LOG}.journal", isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


# --- files -------------------------------------------------------------------------------------


def read(log: Path) -> list[Event]:
    """The events of a log in JSON Lines; its first line names the format."""
    return [json.loads(line) for line in log.read_bytes().splitlines()[1:]]


def write(log: Path, events: list[Event]) -> None:
    """A log of these events."""
    lines = [b'{"codemode_log":1}', *(canonical(event) for event in events)]
    log.write_bytes(b"".join(line + b"\n" for line in lines))


def copy_of_record(folder: Path) -> Path:
    """The recorded files, copied into a folder that may be written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (LOG, f"{LOG}.journal", "host.pem"):
        shutil.copyfile(RECORDED / name, folder / name)
    return folder


def main() -> None:
    """Make every forged copy in the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, forge in FORGERIES.items():
        write(folder / f"{name}.jsonl", forge(read(RECORDED / LOG)))
    for forge_both in (other_answer, other_program):
        forge_both(copy_of_record(folder / forge_both.__name__))
    print(f"{len(FORGERIES) + 2} forgeries in {folder}")


if __name__ == "__main__":
    main()
