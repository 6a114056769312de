"""Recording a program with its journal and replaying it, in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from codemode import ToolRuntime
from codemode.runtime.audit.replay import Replay, replay
from codemode.runtime.log import open_store
from codemode.runtime.log.journal import SqliteJournal, journal_path
from codemode.runtime.result import Result
from codemode.sandbox.backend import SandboxBackend


class Case:
    """One log with its journal."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "log.sqlite"
        self.journal = journal_path(self.log)

    async def record(
        self, code: str, tools: Iterable[Any] = (), *, journal: Any = "full", **options: Any
    ) -> Result:
        """Run a program once."""
        given = {key: options.pop(key) for key in ("files", "artifacts") if key in options}
        async with ToolRuntime(
            tools, mode="code", log=self.log, journal=journal, **options
        ) as runtime:
            return await runtime.run_code(code, **given)

    async def replay(self, call_id: str, sandbox: SandboxBackend | None = None) -> Replay:
        """Run it again."""
        store = open_store(self.log, read_only=True)
        journal = SqliteJournal(self.journal, read_only=True) if self.journal.exists() else None
        try:
            return await replay(store, journal, call_id, sandbox=sandbox)
        finally:
            if sandbox is not None:
                await sandbox.aclose()
            if journal is not None:
                journal.close()
            store.close()
