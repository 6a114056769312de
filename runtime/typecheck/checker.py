"""The checks of one runtime: starts the type checker when first needed, and keeps it.

A check must never hurt a run: whatever goes wrong with it, a crash, an answer that cannot be read,
a deadline, gives no findings and says why, and the next check starts the process anew.
"""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

import anyio
import anyio.to_thread

from codemode.runtime.clock import Clock, SystemClock
from codemode.runtime.errors import MisuseError
from codemode.runtime.typecheck.findings import Checked
from codemode.runtime.typecheck.rules import find
from codemode.runtime.typecheck.server import Server, ServerError
from codemode.runtime.typecheck.text import ProgramText
from codemode.runtime.typecheck.workspace import (
    PROGRAM_FILE,
    SITE_PACKAGES,
    Workspace,
    make_workspace,
)
from codemode.sdkgen import Sdk

#: Longest wait for a check, in seconds, with the start of the process.
DEADLINE_S: Final = 2.0
#: Longest program that is checked, in characters.
MAX_PROGRAM_CHARS: Final = 200_000
#: Most SDKs that the process holds at a time; each scope has one.
MAX_WORKSPACES: Final = 8


class TypeCheckUnavailableError(MisuseError):
    """The type check was asked for and cannot be had. Nothing ran; a retry does not help."""


class Checker:
    """Checks programs with `ty server`; an async context manager, or `aclose` it.

    Args:
        deadline_s: Longest wait for one check.
        clock: Keeps the deadline.
        command: The language server, with its arguments; by default the one of the package `ty`.

    Raises:
        TypeCheckUnavailableError: The package `ty` is not installed.
    """

    def __init__(
        self,
        *,
        deadline_s: float = DEADLINE_S,
        clock: Clock | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        self._command = tuple(command or _ty_command())
        self._deadline_s = deadline_s
        self._clock = clock or SystemClock()
        self._turn = anyio.Lock()
        self._folder: Path | None = None
        self._server: Server | None = None
        #: SDK digest -> workspace, the one used last at the end; kept over restarts.
        self._workspaces: dict[str, Workspace] = {}
        #: Digests of the folders that the running process has.
        self._opened: set[str] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def check(self, sdk: Sdk, source: str) -> Checked:
        """The findings of one program; never fails, and takes at most the deadline.

        Args:
            source: The program's text, without a Markdown fence.
        """
        if len(source) > MAX_PROGRAM_CHARS:
            return Checked(skipped=f"the program is longer than {MAX_PROGRAM_CHARS:,} characters")
        try:
            source.encode()
        except UnicodeEncodeError:
            return Checked(skipped="the program is not valid text")
        try:
            with self._clock.fail_after(self._deadline_s):
                async with self._turn:
                    return await self._check(sdk, source)
        except TimeoutError:
            return Checked(skipped=f"the type check took longer than {self._deadline_s:g} s")
        except (ServerError, OSError) as error:
            return Checked(skipped=str(error))

    async def aclose(self) -> None:
        """End the process and remove its folder."""
        await self._discard()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    async def _check(self, sdk: Sdk, source: str) -> Checked:
        workspace = await self._workspace(sdk)
        program = ProgramText(source)
        text = workspace.tagger.tagged(program)
        is_done = False
        try:
            server = await self._running()
            folder = await self._open(server, workspace)
            diagnostics = await server.diagnose(folder / PROGRAM_FILE, text)
            is_done = True
        finally:
            if not is_done:  # it may still answer what nobody waits for
                await self._discard()
        try:
            return Checked(findings=find(diagnostics, workspace, program))
        except (KeyError, TypeError) as error:
            raise ServerError("the type checker's reports cannot be read") from error

    async def _workspace(self, sdk: Sdk) -> Workspace:
        workspace = self._workspaces.pop(sdk.sha256, None)
        if workspace is None:
            workspace = await anyio.to_thread.run_sync(make_workspace, sdk, abandon_on_cancel=True)
        self._workspaces[sdk.sha256] = workspace
        return workspace

    async def _running(self) -> Server:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="codemode-typecheck-"))
            (self._folder / "none").mkdir()
        if self._server is None:
            self._server = await Server.start(self._command, self._folder / "none")
        return self._server

    async def _open(self, server: Server, workspace: Workspace) -> Path:
        """The folder of a workspace, written and known to the process."""
        folder = self._path(workspace.sha256)
        if not folder.exists():
            await anyio.to_thread.run_sync(_write, folder, workspace)
        if workspace.sha256 not in self._opened:
            await server.add(folder)
            self._opened.add(workspace.sha256)
        while len(self._workspaces) > MAX_WORKSPACES:
            await self._forget(server, next(iter(self._workspaces)))
        return folder

    async def _forget(self, server: Server, sha256: str) -> None:
        del self._workspaces[sha256]
        folder = self._path(sha256)
        if sha256 in self._opened:
            self._opened.discard(sha256)
            await server.remove(folder)
        shutil.rmtree(folder, ignore_errors=True)

    def _path(self, sha256: str) -> Path:
        if self._folder is None:
            raise ServerError("the type checker is closed")
        return self._folder / sha256[:32]

    async def _discard(self) -> None:
        server, self._server = self._server, None
        self._opened.clear()
        if server is not None:
            await server.aclose()


def _write(folder: Path, workspace: Workspace) -> None:
    unfinished = folder.with_suffix(".part")
    (unfinished / SITE_PACKAGES).mkdir(parents=True, exist_ok=True)
    for name, text in workspace.files.items():
        (unfinished / name).write_text(text, "utf-8")
    unfinished.rename(folder)


def _ty_command() -> tuple[str, ...]:
    try:
        package: Any = importlib.import_module("ty")
        return package.find_ty_bin(), "server"
    except (ImportError, FileNotFoundError) as error:
        raise TypeCheckUnavailableError(
            "typecheck needs the package `ty`, which is not installed: install codemode[typecheck],"
            ' or use typecheck="off"'
        ) from error
