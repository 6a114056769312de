"""Settling what a writer that died had left open: by appending, never by rewriting.

Every nested call without a settlement becomes `unknown`: its side effect may have happened. Then
the program, the outer call and the turn end, and `log/repaired` names what was settled.
"""

from __future__ import annotations

from collections import Counter

from codemode.runtime.audit.invariants import Dangling, InvariantChecker
from codemode.runtime.log.errors import SessionNotFoundError
from codemode.runtime.log.events import Event, is_foreign, read_fault
from codemode.runtime.log.session import Now, SessionLog, utc_now
from codemode.runtime.log.signing import Signer
from codemode.runtime.log.store import EventStore, read_events

_WHO = "repair"


async def repair(
    store: EventStore, session: str, *, now: Now = utc_now, signer: Signer | None = None
) -> list[Event]:
    """Settle and close a session whose writer is gone.

    Returns:
        The events that were appended, without the closing ones; empty if the session had ended.

    Raises:
        SessionBusyError: Its writer is alive.
        SessionNotFoundError: There is no such session.
        LogCorruptError: The log cannot be read to its end.
    """
    last = store.last(session)
    if last is None:
        raise SessionNotFoundError(f"{store.location} has no session {session!r}")
    if last.type == "session/close":
        return []
    # The log is opened first, so that nobody else can write while it is being read.
    async with SessionLog(store, session, now=now, signer=signer) as log:
        return _Repair(log).run(_left_open(store, session))


def _left_open(store: EventStore, session: str) -> Dangling:
    checker = InvariantChecker()
    for event in read_events(store, session):
        if is_foreign(event) or read_fault(event):
            checker.skip(event)
        else:
            checker.feed(event)
    return checker.dangling()


class _Repair:
    def __init__(self, log: SessionLog) -> None:
        self._log = log
        self._appended: list[Event] = []
        self._turn: int | None = None

    def run(self, left: Dangling) -> list[Event]:
        after = self._log.seq
        self._turn = left.turn
        for asked in left.approvals:
            self._emit(
                "approval/decided",
                {
                    "approval_id": asked.data["approval_id"],
                    "call_id": asked.data["call_id"],
                    "outcome": "cancelled",
                    "by": _WHO,
                },
            )
        for hook in left.hooks:
            names = {name: hook.data[name] for name in ("hook_id", "hook", "stage")}
            self._emit("hook/result", {**names, "outcome": "unknown"})
        for start in left.nested:
            self._settle(start, left)
        for call_id, settled in left.runs.items():
            self._emit("tool/code-run", _crashed(call_id, settled))
        for call_id in left.calls:
            self._emit(
                "tool/result",
                {
                    "call_id": call_id,
                    "content": "Error: the host stopped before this call had a result",
                    "is_error": True,
                    "error_info": _lost(),
                },
            )
        if left.has_turn:
            self._emit("turn/close", {"reason": "repaired after a crash"})
        settled_ids = [start.data["sub_call_id"] for start in left.nested] + left.calls
        self._turn = None
        self._emit("log/repaired", {"settled": settled_ids, "after_seq": after})
        return self._appended

    def _settle(self, start: Event, left: Dangling) -> None:
        names = ("root_call_id", "parent_call_id", "sub_call_id", "name")
        self._emit(
            "tool/code-dispatch",
            {
                **{name: start.data[name] for name in names},
                "outcome": "unknown",
                "is_error": True,
                "error": _lost(),
            },
        )
        if (settled := left.runs.get(start.data["root_call_id"])) is not None:
            settled["unknown"] += 1

    def _emit(self, kind: str, data: dict[str, object]) -> None:
        self._appended.append(self._log.emit(kind, data, turn=self._turn))


def _lost() -> dict[str, object]:
    return {
        "name": "HostStopped",
        "code": "UNKNOWN_OUTCOME",
        "layer": "log",
        "body_started": True,
    }


def _crashed(call_id: str, settled: Counter[str]) -> dict[str, object]:
    """The end of a program that nobody saw: its use of resources is not known."""
    return {
        "call_id": call_id,
        "outcome": "error",
        "kind": "crash",
        "usage": {
            "wall_s": 0.0,
            "cpu_s": 0.0,
            "peak_memory_bytes": 0,
            "waiting_s": 0.0,
            "sub_calls": dict(settled),
            "bytes_in": 0,
            "bytes_out": 0,
        },
    }
