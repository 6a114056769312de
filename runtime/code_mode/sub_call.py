"""One submission of a program on its way through the bridge, which is also the answer to it.

Holds what the bridge knows of a call, and does nothing itself. Source: spec CODE_MODE 3.
"""

from __future__ import annotations

from typing_extensions import override

from codemode.runtime.code_mode.ledger import LedgerEntry
from codemode.runtime.code_mode.order import Ticket
from codemode.runtime.content import Image
from codemode.runtime.execution import CallRequest
from codemode.runtime.pipeline import PendingCall
from codemode.runtime.result import Result
from codemode.sandbox.answer import Answer


class SubCall(Answer):
    """See the module.

    Attributes:
        pending: The call in the pipeline; None while it waits for its turn.
        result: What it came to, once it has settled.
        has_start: Its start is in the log.
        has_settlement: Its settlement is in the log, as far as the log could take it.
        is_settling: A task is about to settle it.
    """

    __slots__ = (
        "entry",
        "has_settlement",
        "has_start",
        "is_settling",
        "pending",
        "request",
        "result",
        "started_at",
        "ticket",
    )

    def __init__(self, entry: LedgerEntry, request: CallRequest, ticket: Ticket) -> None:
        super().__init__()
        self.entry = entry
        self.request = request
        self.ticket = ticket
        self.pending: PendingCall | None = None
        self.result: Result | None = None
        self.has_start = self.has_settlement = self.is_settling = False
        self.started_at = 0.0

    @override
    def cancel(self) -> None:
        """The program does not wait for it any more: refused if it has not begun, else aborted."""
        if self.pending is None:
            self.ticket.give_up()
        else:
            self.pending.source.cancel("the calling task was cancelled")

    def is_settled(self) -> bool:
        """Whether it has come to something, be it that nothing is known of it."""
        return self.result is not None or self.has_settlement

    def lacks_settlement(self) -> bool:
        """Whether it would stay a start without an end, now that nobody goes on with it."""
        return self.has_start and not self.has_settlement and not self.is_settling

    def has_more(self) -> bool:
        """Whether its result has anything for the outer call besides the value."""
        result = self.result
        if result is None:
            return False
        has_effects = bool(result.contexts) or result.concludes_turn
        return has_effects or any(type(block) is Image for block in result.content)
