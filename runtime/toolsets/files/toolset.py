"""The reference file toolset: read, write, edit, glob and grep below one folder.

It shows what stands below a tool: a write is announced as an intent before it happens, and a
subscriber that knows what the session has read denies it when the model would overwrite what it has
not seen. Every read and write is an event of the tool's own; what a write replaces is kept first.

Source: spec PIPELINE 15.1 to 15.4.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Final

import anyio
from pydantic import Field
from typing_extensions import TypedDict

from codemode.runtime.attachments import AttachmentStore, MemoryAttachmentStore
from codemode.runtime.cancellation import Disposer
from codemode.runtime.definition import Tool
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.function_tool import tool
from codemode.runtime.scope import Scope
from codemode.runtime.toolsets.files import presenting
from codemode.runtime.toolsets.files.history import Change
from codemode.runtime.toolsets.files.root import FileState, Root
from codemode.runtime.toolsets.files.search import Matches, Paths, Search
from codemode.runtime.toolsets.files.writes import Writes, blocking, session_of
from codemode.sandbox.values import Json

EDIT_INTENT: Final = "fs/edit-intent"
WRITE_INTENT: Final = "fs/write-intent"
_MAX_LINES: Final = 2_000
_MAX_CHARACTERS: Final = 200_000

FilePath = Annotated[str, Field(description="Relative to the root, such as src/app.py")]


class Lines(TypedDict):
    """A stretch of a text file."""

    path: str
    text: str
    start_line: int
    total_lines: int
    truncated: bool
    sha256: str


class Written(TypedDict):
    """A file as it stands after a write."""

    path: str
    bytes: int
    created: bool
    sha256: str


class Edited(TypedDict):
    """A file as it stands after an edit."""

    path: str
    replacements: int
    sha256: str


class FileToolset:
    """The tools of one folder.

    `mount` registers them with their rule. Without the rule in force (`read_before_edit` as an
    intent subscriber), a write fails.

    Args:
        root: An existing folder, which no path and no link leads out of.
        kept: Keeps the content before each write, by digest; memory by default.
        max_file_bytes: Larger files are neither read nor written.
        max_results: Most paths or lines of one search.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        kept: AttachmentStore | None = None,
        max_file_bytes: int = 8 << 20,
        max_results: int = 500,
    ) -> None:
        self._root = Root(root, max_file_bytes=max_file_bytes)
        self._writes = Writes(
            self._root, kept or MemoryAttachmentStore(), rule=self.read_before_edit
        )
        self._max_file_bytes = max_file_bytes
        self._max_results = max_results
        # Two sessions may share the toolset; within a batch, writes are exclusive already.
        self._writing = anyio.Lock()
        self.tools: Final[tuple[Tool, ...]] = (
            self._read_tool(),
            self._write_tool(),
            self._edit_tool(),
            self._glob_tool(),
            self._grep_tool(),
        )

    def mount(self, scope: Scope) -> Disposer:
        """Register the tools and their rule on a scope; disposing takes both back.

        Raises:
            DefinitionError: A name is taken there.
        """
        disposers = [scope.add("intent", self.read_before_edit)]
        try:
            disposers.extend(scope.register(tool) for tool in self.tools)
        except BaseException:
            _dispose(disposers)
            raise
        return lambda: _dispose(disposers)

    def read_before_edit(
        self, execution: Execution, event_type: str, data: Mapping[str, Json]
    ) -> str | None:
        """The rule: what a session replaces, it has read, and it is still what it read."""
        before = data.get("before_sha256")
        is_ours = any(execution.tool is own for own in self.tools)
        if not is_ours or event_type not in (EDIT_INTENT, WRITE_INTENT) or before is None:
            return None
        return self._writes.history.objection(session_of(execution), str(data["path"]), str(before))

    # --- undo ------------------------------------------------------------------------------------

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every write, oldest first."""
        return tuple(self._writes.history.changes)

    def undo(self, change: Change) -> None:
        """Take a write back. Blocks; for the host.

        Raises:
            UndoError: The file is not as that write left it, or the content before is not kept.
        """
        self._writes.undo(change)

    # --- the tools -------------------------------------------------------------------------------

    def _read_tool(self) -> Tool:
        @tool(
            effects={"read"},
            group="files",
            render=presenting.render_lines,
            present_result=presenting.read_card,
        )
        async def read(
            path: FilePath,
            run: RunContext,
            start_line: Annotated[int, Field(ge=1, description="From 1")] = 1,
            max_lines: Annotated[
                int, Field(ge=1, le=_MAX_LINES, description="Most lines to read")
            ] = _MAX_LINES,
        ) -> Lines:
            """Read a text file, or a stretch of its lines."""
            state = await blocking(lambda: self._root.read(path))
            lines = _text(state).splitlines(keepends=True)
            text = "".join(lines[start_line - 1 : start_line - 1 + max_lines])
            is_cut = start_line - 1 + max_lines < len(lines) or len(text) > _MAX_CHARACTERS
            self._writes.observe(run, state.path, state.sha256, len(state.data), "read")
            return {
                "path": state.path,
                "text": text[:_MAX_CHARACTERS],
                "start_line": start_line,
                "total_lines": len(lines),
                "truncated": is_cut,
                "sha256": state.sha256,
            }

        return read

    def _write_tool(self) -> Tool:
        @tool(effects={"write"}, group="files", present_call=presenting.write_card)
        async def write(
            path: FilePath,
            text: Annotated[str, Field(description="The whole content")],
            run: RunContext,
        ) -> Written:
            """Write a text file, whole. One that exists must have been read first."""
            data = text.encode()
            async with self._writing:
                before = await blocking(lambda: self._root.find(path))
                written = await self._writes.replace(run, WRITE_INTENT, path, before, data)
            return {
                "path": written.path,
                "bytes": len(data),
                "created": before is None,
                "sha256": written.sha256,
            }

        return write

    def _edit_tool(self) -> Tool:
        @tool(effects={"write"}, group="files", present_call=presenting.edit_card)
        async def edit(
            path: FilePath,
            old: Annotated[str, Field(min_length=1, description="The exact text to replace")],
            new: Annotated[str, Field(description="What stands there afterwards")],
            run: RunContext,
            replace_all: Annotated[bool, Field(description="Replace every occurrence")] = False,
        ) -> Edited:
            """Replace a text in a file that was read before. It must occur once."""
            async with self._writing:
                before = await blocking(lambda: self._root.read(path))
                text = _text(before)
                count = text.count(old)
                if count == 0:
                    raise ToolError(f"{path} has no such text; read it and copy the text exactly")
                if count > 1 and not replace_all:
                    raise ToolError(
                        f"{path} has the text {count} times; give more of what is around it,"
                        " or replace_all=true"
                    )
                data = text.replace(old, new).encode()
                written = await self._writes.replace(run, EDIT_INTENT, path, before, data)
            return {"path": written.path, "replacements": count, "sha256": written.sha256}

        return edit

    def _glob_tool(self) -> Tool:
        @tool(
            effects={"read"},
            group="files",
            render=presenting.render_paths,
            present_result=presenting.search_card,
        )
        async def glob(
            pattern: Annotated[str, Field(description="Such as **/*.py or src/*.{c,h}")],
            run: RunContext,
            path: Annotated[str, Field(description="The folder to look in")] = ".",
        ) -> Paths:
            """List the files whose path fits a pattern. Ignored files are left out."""
            search = self._search(run)
            return await blocking(lambda: search.glob(pattern, path, limit=self._max_results))

        return glob

    def _grep_tool(self) -> Tool:
        @tool(
            effects={"read"},
            group="files",
            render=presenting.render_matches,
            present_result=presenting.search_card,
        )
        async def grep(
            pattern: Annotated[str, Field(description="A regular expression, without lookaround")],
            run: RunContext,
            path: Annotated[str, Field(description="The folder or file to look in")] = ".",
            glob: Annotated[str | None, Field(description="Only files that fit")] = None,
            ignore_case: Annotated[bool, Field(description="Take a and A for the same")] = False,
        ) -> Matches:
            """Find the lines of text files that fit a pattern. Ignored files are left out."""
            search = self._search(run)
            return await blocking(
                lambda: search.grep(
                    pattern, path, glob=glob, ignore_case=ignore_case, limit=self._max_results
                )
            )

        return grep

    # --- below the tools -------------------------------------------------------------------------

    def _search(self, run: RunContext) -> Search:
        return Search(
            self._root,
            max_file_bytes=self._max_file_bytes,
            check=run.signal.raise_if_cancelled,
        )


def _dispose(disposers: list[Disposer]) -> None:
    for dispose in reversed(disposers):
        dispose()


def _text(state: FileState) -> str:
    try:
        return state.data.decode()
    except UnicodeDecodeError:
        raise ToolError(f"{state.path} is no UTF-8 text") from None
