"""Writes below one folder: announced before they happen, and kept so that they can be taken back.

A write needs its rule in force: a subscriber to intents that knows what a session has read.

Source: spec PIPELINE 15.1 to 15.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import anyio.to_thread

from codemode.runtime.attachments import AttachmentError, AttachmentStore
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.policy import IntentSubscriber
from codemode.runtime.toolsets.files.history import Change, History, UndoError
from codemode.runtime.toolsets.files.root import FileState, Root

_KEPT_AS: Final = "application/octet-stream"
_T = TypeVar("_T")


class Writes:
    """What the tools of one folder write.

    Args:
        kept: Gets the content before each write.
        rule: Without it among the subscribers of the call's scope, a write fails.
    """

    def __init__(self, root: Root, kept: AttachmentStore, *, rule: IntentSubscriber) -> None:
        self._root = root
        self._kept = kept
        self._rule = rule
        self.history = History()

    def undo(self, change: Change) -> None:
        """Take a write back. Blocks.

        Raises:
            UndoError: The file is not as that write left it, or the content before is not kept.
        """
        try:
            if change.before_sha256 is None:
                self._root.remove(change.path, expected=change.after_sha256)
                return
            kept = self._kept.get(change.before_sha256)
            if kept is None:
                raise UndoError(f"the content of {change.path} before the write is not kept")
            self._root.replace(change.path, kept.data, expected=change.after_sha256)
        except ToolError as error:
            raise UndoError(f"the write to {change.path} stays: {error.message}") from error

    async def replace(
        self, run: RunContext, intent: str, path: str, before: FileState | None, data: bytes
    ) -> FileState:
        """Announce, keep, write, and say so.

        Args:
            intent: The event that announces it.
            before: As it was read; None of a new file.

        Raises:
            ToolError: The rule is not in force, or a subscriber denies it, or it cannot be written.
        """
        if self._rule not in run.execution.scope.hooks("intent"):
            raise ToolError("the rule read_before_edit is not in force; mount the toolset")
        where = path if before is None else before.path
        await run.intent(
            intent,
            {
                "path": where,
                "before_sha256": None if before is None else before.sha256,
                "bytes": len(data),
            },
        )
        written = await blocking(lambda: self._keep_and_write(path, before, data))
        after = written.sha256
        before_sha256 = None if before is None else before.sha256
        self.history.changed(
            Change(
                session=session_of(run.execution),
                call_id=run.call_id,
                path=written.path,
                before_sha256=before_sha256,
                after_sha256=after,
            )
        )
        run.emit(
            "fs/changed",
            {"path": written.path, "before_sha256": before_sha256, "after_sha256": after},
        )
        self.observe(run, written.path, after, len(data), "written")
        return written

    def _keep_and_write(self, path: str, before: FileState | None, data: bytes) -> FileState:
        if before is not None:
            try:
                self._kept.put(before.data, _KEPT_AS)
            except AttachmentError as error:
                raise ToolError(f"nothing was written: {error}") from error
        return self._root.replace(path, data, expected=None if before is None else before.sha256)

    def observe(self, run: RunContext, path: str, sha256: str, size: int, how: str) -> None:
        """Note what the session knows of a file from now on."""
        self.history.saw(session_of(run.execution), path, sha256)
        run.emit("fs/observed", {"path": path, "sha256": sha256, "bytes": size, "how": how})


async def blocking(work: Callable[[], _T]) -> _T:
    """The result of `work`, which blocks, off the event loop."""
    return await anyio.to_thread.run_sync(work)


def session_of(execution: Execution) -> str:
    """The session that a call is in; "" without an owner."""
    return "" if execution.owner is None else execution.owner.session
