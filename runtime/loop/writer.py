"""The writing of one session: its turns, steps, calls, results and messages, in the log and live.

The only place that knows which turn and step are open. What comes between turns (the event of a job
or of a body that outlived its call) waits for the next turn, because it belongs inside one.

Source: spec PIPELINE 9.3, 11.1; CODE_MODE 1.7, 6.10.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from typing import Final

import anyio

from codemode.runtime.code_mode import records
from codemode.runtime.content import content_as_json
from codemode.runtime.log import EventStore, Redactor, SessionLog, Signer
from codemode.runtime.log.session import new_session_id
from codemode.runtime.loop.live import Feed
from codemode.runtime.loop.messages import AssistantMessage, UserMessage
from codemode.runtime.owner import LateSettlement, Owner
from codemode.runtime.result import Result
from codemode.sandbox.values import Json

_logger: Final = logging.getLogger("codemode.loop")
#: What may stand between turns.
_BETWEEN: Final = frozenset({"tool/late-settlement"})
#: A log that cannot be written must not hold the host for ever.
_CLOSE_GRACE_S: Final = 10.0


class SessionWriter:
    """Writes one session; everything but `record` and `show` is for the event loop.

    Attributes:
        feed: The live stream of the same.
        turn: The open turn's number, or the last one's.
        step: The last step's number; counts the requests of the session.
    """

    def __init__(
        self,
        store: EventStore,
        *,
        redact: Redactor | None,
        meta: Mapping[str, Json] | None,
        signer: Signer | None = None,
    ) -> None:
        session = new_session_id()
        self.feed: Final = Feed(store, session)
        self._log = SessionLog(store, session, redact=redact, meta=meta, signer=signer)
        self._order = threading.RLock()
        self._waiting: list[tuple[str, Mapping[str, Json]]] = []
        self.turn = 0
        self.step = 0
        self._is_open = False
        self._is_closed = False
        self.owner: Final = Owner(
            record=self.record,
            flush=self._log.flush,
            ready=self._log.ready,
            is_ready=self._log.is_ready,
            on_late=self._late,
            run_id=session,
            session=session,
            show=self.feed.show,
        )

    @property
    def session(self) -> str:
        """The session's id."""
        return self._log.session

    async def begin(self) -> None:
        """Begin the stream with the session's first event."""
        await self._log.flush()
        self._feed_last()

    def record(self, kind: str, data: Mapping[str, Json]) -> None:
        """Append an event of the open turn; between turns it waits for the next one.

        Raises:
            LogUnavailableError: An earlier event could not be made durable.
            InvalidEventError: The fields do not fit the type.
        """
        with self._order:
            if self._is_closed:
                _logger.warning("%s came after the end of session %s", kind, self.session)
                return
            if not self._is_open and kind not in _BETWEEN:
                self._waiting.append((kind, data))
                return
            is_inside = self._is_open
            event = self._log.emit(
                kind,
                data,
                turn=self.turn if is_inside else None,
                step=self.step if is_inside and self.step else None,
            )
            self.feed.add(event)

    # --- turns and steps -------------------------------------------------------------------------

    def open_turn(self) -> None:
        """Begin the next turn, with what has waited for one."""
        with self._order:
            self.turn += 1
            self._is_open = True
            self.record("turn/open", {})
            waiting, self._waiting = self._waiting, []
            for kind, data in waiting:
                self.record(kind, data)

    async def close_turn(self, reason: str) -> None:
        """End the turn, and make it durable."""
        self.record("turn/close", {"reason": reason})
        self._is_open = False
        seq = self._log.seq
        with anyio.CancelScope(shield=True):
            await self._log.flush()
        self.feed.end_turn(seq)

    def open_step(self, data: dict[str, Json]) -> None:
        """Begin a step: what is in force for one request."""
        self.step += 1
        self.feed.end_step()
        self.record("step/open", data)

    # --- messages and calls ----------------------------------------------------------------------

    def assistant(self, message: AssistantMessage) -> None:
        """Log what the model said."""
        self.record(
            "assistant/message",
            {
                "content": content_as_json(message.content),
                "calls": [call.call_id for call in message.calls],
                "meta": dict(message.meta) or None,
            },
        )

    def user(self, message: UserMessage) -> None:
        """Log a message for the model."""
        self.record(
            "user/message",
            records.user_message(message.content, message.source, message.meta),
        )

    def call(self, call_id: str, name: str, arguments: str, effective: Json) -> None:
        """Log a call: the raw text, and what the body receives where that differs."""
        self.record(
            "tool/call",
            {
                "call_id": call_id,
                "name": name,
                "arguments": arguments,
                "effective_arguments": effective,
            },
        )

    def result(self, result: Result) -> None:
        """Log a result; its contexts come after the whole batch."""
        self.record("tool/result", records.tool_result(result))

    # --- the end ---------------------------------------------------------------------------------

    async def aclose(self) -> None:
        """End the session. What still waits for a turn gets one of its own."""
        try:
            if self._waiting:
                self.open_turn()
                await self.close_turn("what came after the last turn")
            with anyio.move_on_after(_CLOSE_GRACE_S, shield=True):
                await self._log.aclose()
        finally:
            self._is_closed = True
            self._feed_last()
            self.feed.close()

    def abandon(self) -> None:
        """Leave the session open in the log, for `repair`: what happened in it is not known."""
        self._is_closed = True
        self._log.abandon()
        self.feed.close()

    def _feed_last(self) -> None:
        """Show the first or the last event, which the log writes itself."""
        record = self._log.store.last(self.session)
        if record is not None and record.type in ("session/open", "session/close"):
            self.feed.add(record.event())

    def _late(self, late: LateSettlement) -> None:
        self.record("tool/late-settlement", records.late(late))
