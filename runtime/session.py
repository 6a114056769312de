"""The owner of one logged call: a session and a turn around it, for hosts without an agent loop.

Opens a session, logs the outer call, hands the pipeline an owner that writes the nested events,
logs the result and its contexts, and closes the session. Source: spec PIPELINE 11.3.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import anyio

from codemode.runtime.code_mode import records
from codemode.runtime.execution import Owner
from codemode.runtime.log import EventStore, Redactor, SessionLog
from codemode.runtime.log.session import new_session_id
from codemode.runtime.result import Result
from codemode.sandbox.values import Json

_TURN: Final = 1
_STEP: Final = 1
#: A log that cannot be written must not hold the host for ever.
_CLOSE_GRACE_S: Final = 10.0


class Session:
    """One open session with one open turn."""

    def __init__(self, log: SessionLog) -> None:
        self._log = log

    @property
    def id(self) -> str:
        """The session's id in the log."""
        return self._log.session

    @property
    def owner(self) -> Owner:
        """Writes what the pipeline and the bridge record."""
        return Owner(
            record=self.record,
            flush=self._log.flush,
            ready=self._log.ready,
            run_id=self.id,
            session=self.id,
        )

    def record(self, kind: str, data: dict[str, Json]) -> None:
        """Append one event of the turn.

        Raises:
            LogUnavailableError: An earlier event could not be made durable.
        """
        self._log.emit(kind, data, turn=_TURN, step=_STEP)

    def call(
        self, call_id: str, name: str, arguments: str, *, deferred_from: str | None = None
    ) -> None:
        """Log the outer call with its raw argument string."""
        data: dict[str, Json] = {"call_id": call_id, "name": name, "arguments": arguments}
        if deferred_from is not None:
            data["deferred_from"] = deferred_from
        self.record("tool/call", data)

    def result(self, result: Result) -> None:
        """Log the outer result, then the contexts that it carries, in their order."""
        self.record("tool/result", records.tool_result(result))
        for context in result.contexts:
            self.record(
                "user/message",
                records.user_message(context.content, context.source, context.meta),
            )


@asynccontextmanager
async def open_session(
    store: EventStore, *, mode: str, isolation: Json, sdk_sha256: str, redact: Redactor | None
) -> AsyncGenerator[Session]:
    """A fresh session with its turn and step open; closed on the way out, whatever happened."""
    log = SessionLog(store, new_session_id(), redact=redact)
    session = Session(log)
    try:
        log.emit("turn/open", {}, turn=_TURN)
        session.record(
            "step/open", {"mode": mode, "isolation": isolation, "sdk_sha256": sdk_sha256}
        )
        try:
            yield session
        except anyio.get_cancelled_exc_class():
            log.emit("turn/close", {}, turn=_TURN)
            raise
        log.emit("turn/close", {}, turn=_TURN)
    finally:
        with anyio.move_on_after(_CLOSE_GRACE_S, shield=True):
            await log.aclose()
