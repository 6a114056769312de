"""The owner of one logged call: a session and a turn around it, for hosts without an agent loop.

Opens a session, logs the outer call, hands the pipeline an owner that writes the nested events,
logs the result and its contexts, and closes the session. A body that outlives its call keeps the
session open until it has ended, or the runtime has. Source: spec PIPELINE 11.3, CODE_MODE 5.3.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio

from codemode.runtime.code_mode import records
from codemode.runtime.definition import RUN_CODE
from codemode.runtime.log import EventStore, LogError, Redactor, SessionLog, Signer
from codemode.runtime.log.session import new_session_id
from codemode.runtime.owner import LateSettlement, Owner
from codemode.runtime.pipeline import PendingCall
from codemode.runtime.result import Result
from codemode.sandbox.values import Json

_logger: Final = logging.getLogger("codemode.session")
_TURN: Final = 1
_STEP: Final = 1
#: A log that cannot be written must not hold the host for ever.
_CLOSE_GRACE_S: Final = 10.0


class Session:
    """One open session with one turn; `record` may be called from any thread."""

    def __init__(self, log: SessionLog) -> None:
        self._log = log
        self._order = threading.Lock()
        self._has_turn = False
        self._is_closed = False
        self._unanswered: set[str] = set()
        #: Calls whose bodies were left behind, and may still end.
        self._left: set[str] = set()

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
            is_ready=self._log.is_ready,
            on_late=self._late,
            run_id=self.id,
            session=self.id,
        )

    @property
    def is_whole(self) -> bool:
        """Whether every outer call has its result."""
        return not self._unanswered

    @property
    def is_waiting(self) -> bool:
        """Whether the body of a call of unknown outcome has not ended yet."""
        return bool(self._left)

    def record(self, kind: str, data: dict[str, Json]) -> None:
        """Append one event of the turn; after it, only a late settlement has a place.

        Raises:
            LogUnavailableError: An earlier event could not be made durable.
        """
        with self._order:
            if self._has_turn:
                self._log.append(kind, data, turn=_TURN, step=_STEP)
                self._note(kind, data)
            elif kind == "tool/late-settlement" and not self._is_closed:
                self._log.append(kind, data)
                self._note(kind, data)
            else:
                _logger.warning("%s came after the turn of session %s", kind, self.id)

    def open_turn(self, step: dict[str, Json]) -> None:
        """Begin the one turn, and its one step."""
        self._log.append("turn/open", {}, turn=_TURN)
        self._has_turn = True
        self.record("step/open", step)

    def close_turn(self) -> None:
        """End the turn."""
        with self._order:
            self._has_turn = False
            self._log.append("turn/close", {}, turn=_TURN)

    async def call(self, pending: PendingCall, raw: str) -> None:
        """Log the outer call with its raw argument string, and what its body receives.

        It is durable before a body that may change something; a program's calls see to themselves.
        """
        execution = pending.execution
        data: dict[str, Json] = {
            "call_id": execution.call_id,
            "name": pending.request.name,
            "arguments": raw,
        }
        if pending.arguments_changed:
            data["effective_arguments"] = dict(execution.arguments)
        if execution.deferred_from is not None:
            data["deferred_from"] = execution.deferred_from
        self.record("tool/call", data)
        tool = execution.tool
        if tool is not None and not tool.is_read_only and tool.name != RUN_CODE:
            with anyio.CancelScope(shield=True):
                await self._log.flush()

    def result(self, result: Result) -> None:
        """Log the outer result, then the contexts that it carries, in their order."""
        self.record("tool/result", records.tool_result(result))
        for context in result.contexts:
            self.record(
                "user/message",
                records.user_message(context.content, context.source, context.meta),
            )

    async def flush(self) -> None:
        """Wait until what was recorded is durable."""
        await self._log.flush()

    async def aclose(self) -> None:
        """End the session; bounded, and not interrupted."""
        with self._order:
            self._is_closed = True
        with anyio.move_on_after(_CLOSE_GRACE_S, shield=True):
            await self._log.aclose()

    def abandon(self) -> None:
        """Leave it open in the log, for `repair`: its turn did not come to its end."""
        with self._order:
            self._has_turn = False
            self._is_closed = True
        self._log.abandon()

    def _note(self, kind: str, data: dict[str, Json]) -> None:
        said: Any = data
        if kind == "tool/call":
            self._unanswered.add(said["call_id"])
        elif kind == "tool/result":
            self._unanswered.discard(said["call_id"])
            if said["error_info"] and said["error_info"]["code"] == "UNKNOWN_OUTCOME":
                self._left.add(said["call_id"])
        elif kind == "tool/code-dispatch" and said["outcome"] == "unknown":
            self._left.add(said["sub_call_id"])
        elif kind == "tool/late-settlement":
            self._left.discard(said["sub_call_id"])

    def _late(self, late: LateSettlement) -> None:
        try:
            self.record("tool/late-settlement", records.late(late))
        except LogError:
            # The one that has ended is a body: no caller is left who could be told.
            _logger.exception("the late end of %s was not logged", late.call_id)


class Lingering:
    """The sessions of a runtime that wait for bodies which outlived their calls."""

    def __init__(self) -> None:
        self._sessions: set[Session] = set()

    async def leave(self, session: Session) -> None:
        """Close a session whose turn has ended, now or when the last body of its calls has.

        Raises:
            LogError: Its end could not be written.
        """
        if session.is_waiting:
            self._sessions.add(session)
            await session.flush()
        else:
            await session.aclose()
        await self.sweep()

    async def sweep(self) -> None:
        """Close those that wait for nothing any more; that one fails is no other call's affair."""
        for session in tuple(self._sessions):
            # Another sweep may have taken it meanwhile.
            if session in self._sessions and not session.is_waiting:
                self._sessions.discard(session)
                try:
                    await session.aclose()
                except LogError:
                    _logger.exception("the end of session %s was not logged", session.id)

    async def aclose(self) -> None:
        """Close them all: what has not ended by now stays unknown.

        Raises:
            LogError: The end of one could not be written; all have been let go.
        """
        failure: LogError | None = None
        while self._sessions:
            try:
                await self._sessions.pop().aclose()
            except LogError as error:
                failure = failure or error
        if failure is not None:
            raise failure


@asynccontextmanager
async def open_session(
    store: EventStore,
    lingering: Lingering,
    step: dict[str, Json],
    *,
    redact: Redactor | None,
    signer: Signer | None = None,
) -> AsyncGenerator[Session]:
    """A fresh session with its turn and step open; its end is in the log on the way out.

    A turn that breaks off (the log fails, a hook of the engine is at fault) is left as it is, for
    `repair`: what happened in it is not known.

    Args:
        lingering: Takes the session if a body of its calls has not ended.
        step: What is in force for the call: the fields of `step/open`.
    """
    await lingering.sweep()
    session = Session(SessionLog(store, new_session_id(), redact=redact, signer=signer))
    try:
        session.open_turn(step)
        yield session
        session.close_turn()
    except BaseException as error:
        if isinstance(error, anyio.get_cancelled_exc_class()) and session.is_whole:
            session.close_turn()
            with anyio.CancelScope(shield=True):
                await lingering.leave(session)
        else:
            session.abandon()
        raise
    await lingering.leave(session)
