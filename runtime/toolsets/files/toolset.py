"""The reference file toolset: read, write, edit, glob and grep below one folder.

It shows what stands below a tool: a write is announced as an intent before it happens, and a
subscriber that knows what the session has read denies it when the model would overwrite what it has
not seen. Every read and write is an event of the tool's own; what a write replaces is kept first.

Source: spec PIPELINE 15.1 to 15.4.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, TypeVar

import anyio
import anyio.to_thread
from pydantic import Field
from typing_extensions import TypedDict

from codemode.runtime.attachments import AttachmentError, AttachmentStore, MemoryAttachmentStore
from codemode.runtime.cancellation import Disposer
from codemode.runtime.definition import Arguments, Tool
from codemode.runtime.errors import ToolError
from codemode.runtime.execution import Execution, RunContext
from codemode.runtime.function_tool import tool
from codemode.runtime.scope import Scope
from codemode.runtime.toolsets.files.history import Change, History, UndoError
from codemode.runtime.toolsets.files.root import FileState, Root
from codemode.runtime.toolsets.files.search import Matches, Paths, Search
from codemode.sandbox.values import Json

_T = TypeVar("_T")

EDIT_INTENT: Final = "fs/edit-intent"
WRITE_INTENT: Final = "fs/write-intent"
_KEPT_AS: Final = "application/octet-stream"
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
        self._kept = kept or MemoryAttachmentStore()
        self._max_file_bytes = max_file_bytes
        self._max_results = max_results
        self._history = History()
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
        return self._history.objection(_session(execution), str(data["path"]), str(before))

    # --- undo ------------------------------------------------------------------------------------

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every write, oldest first."""
        return tuple(self._history.changes)

    def undo(self, change: Change) -> None:
        """Take a write back. Blocks; for the host.

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

    # --- the tools -------------------------------------------------------------------------------

    def _read_tool(self) -> Tool:
        @tool(effects={"read"}, group="files", render=_render_lines, present_result=_read_card)
        async def read(
            path: FilePath,
            run: RunContext,
            start_line: Annotated[int, Field(ge=1, description="From 1")] = 1,
            max_lines: Annotated[
                int, Field(ge=1, le=_MAX_LINES, description="Most lines to read")
            ] = _MAX_LINES,
        ) -> Lines:
            """Read a text file, or a stretch of its lines."""
            state = await _blocking(lambda: self._root.read(path))
            lines = _text(state).splitlines(keepends=True)
            text = "".join(lines[start_line - 1 : start_line - 1 + max_lines])
            is_cut = start_line - 1 + max_lines < len(lines) or len(text) > _MAX_CHARACTERS
            self._observe(run, state.path, state.sha256, len(state.data), "read")
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
        @tool(effects={"write"}, group="files", present_call=_write_card)
        async def write(
            path: FilePath,
            text: Annotated[str, Field(description="The whole content")],
            run: RunContext,
        ) -> Written:
            """Write a text file, whole. One that exists must have been read first."""
            data = text.encode()
            async with self._writing:
                before = await _blocking(lambda: self._root.find(path))
                written = await self._replace(run, WRITE_INTENT, path, before, data)
            return {
                "path": written.path,
                "bytes": len(data),
                "created": before is None,
                "sha256": written.sha256,
            }

        return write

    def _edit_tool(self) -> Tool:
        @tool(effects={"write"}, group="files", present_call=_edit_card)
        async def edit(
            path: FilePath,
            old: Annotated[str, Field(min_length=1, description="The exact text to replace")],
            new: Annotated[str, Field(description="What stands there afterwards")],
            run: RunContext,
            replace_all: Annotated[bool, Field(description="Replace every occurrence")] = False,
        ) -> Edited:
            """Replace a text in a file that was read before. It must occur once."""
            async with self._writing:
                before = await _blocking(lambda: self._root.read(path))
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
                written = await self._replace(run, EDIT_INTENT, path, before, data)
            return {"path": written.path, "replacements": count, "sha256": written.sha256}

        return edit

    def _glob_tool(self) -> Tool:
        @tool(effects={"read"}, group="files", render=_render_paths, present_result=_search_card)
        async def glob(
            pattern: Annotated[str, Field(description="Such as **/*.py or src/*.{c,h}")],
            run: RunContext,
            path: Annotated[str, Field(description="The folder to look in")] = ".",
        ) -> Paths:
            """List the files whose path fits a pattern. Ignored files are left out."""
            search = self._search(run)
            return await _blocking(lambda: search.glob(pattern, path, limit=self._max_results))

        return glob

    def _grep_tool(self) -> Tool:
        @tool(effects={"read"}, group="files", render=_render_matches, present_result=_search_card)
        async def grep(
            pattern: Annotated[str, Field(description="A regular expression, without lookaround")],
            run: RunContext,
            path: Annotated[str, Field(description="The folder or file to look in")] = ".",
            glob: Annotated[str | None, Field(description="Only files that fit")] = None,
            ignore_case: Annotated[bool, Field(description="Take a and A for the same")] = False,
        ) -> Matches:
            """Find the lines of text files that fit a pattern. Ignored files are left out."""
            search = self._search(run)
            return await _blocking(
                lambda: search.grep(
                    pattern, path, glob=glob, ignore_case=ignore_case, limit=self._max_results
                )
            )

        return grep

    # --- below the tools -------------------------------------------------------------------------

    async def _replace(
        self, run: RunContext, intent: str, path: str, before: FileState | None, data: bytes
    ) -> FileState:
        """Announce, keep, write, and say so."""
        if self.read_before_edit not in run.execution.scope.hooks("intent"):
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
        written = await _blocking(lambda: self._keep_and_write(path, before, data))
        after = written.sha256
        before_sha256 = None if before is None else before.sha256
        self._history.changed(
            Change(
                session=_session(run.execution),
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
        self._observe(run, written.path, after, len(data), "written")
        return written

    def _keep_and_write(self, path: str, before: FileState | None, data: bytes) -> FileState:
        if before is not None:
            try:
                self._kept.put(before.data, _KEPT_AS)
            except AttachmentError as error:
                raise ToolError(f"nothing was written: {error}") from error
        return self._root.replace(path, data, expected=None if before is None else before.sha256)

    def _observe(self, run: RunContext, path: str, sha256: str, size: int, how: str) -> None:
        self._history.saw(_session(run.execution), path, sha256)
        run.emit("fs/observed", {"path": path, "sha256": sha256, "bytes": size, "how": how})

    def _search(self, run: RunContext) -> Search:
        return Search(
            self._root,
            max_file_bytes=self._max_file_bytes,
            check=run.signal.raise_if_cancelled,
        )


async def _blocking(work: Callable[[], _T]) -> _T:
    return await anyio.to_thread.run_sync(work)


def _session(execution: Execution) -> str:
    return "" if execution.owner is None else execution.owner.session


def _dispose(disposers: list[Disposer]) -> None:
    for dispose in reversed(disposers):
        dispose()


def _text(state: FileState) -> str:
    try:
        return state.data.decode()
    except UnicodeDecodeError:
        raise ToolError(f"{state.path} is no UTF-8 text") from None


# --- what the model reads, and cards -----------------------------------------------------------


def _render_lines(_: Arguments, value: Json) -> str:
    lines: Any = value
    if not lines["truncated"]:
        return str(lines["text"])
    first = lines["start_line"]
    last = first + len(lines["text"].splitlines()) - 1
    return f"{lines['text']}\n[lines {first} to {last} of {lines['total_lines']}]"


def _render_paths(_: Arguments, value: Json) -> str:
    found: Any = value
    return "\n".join(found["paths"]) + _more(found) or "(no file)"


def _render_matches(_: Arguments, value: Json) -> str:
    found: Any = value
    lines = [f"{match['path']}:{match['line']}: {match['text']}" for match in found["matches"]]
    return "\n".join(lines) + _more(found) or "(no match)"


def _more(found: Mapping[str, Any]) -> str:
    return "\n[there are more; narrow the search]" if found["truncated"] else ""


def _edit_card(arguments: Arguments) -> Mapping[str, Any]:
    return {
        "card": "diff",
        "path": arguments["path"],
        "old": arguments["old"],
        "new": arguments["new"],
    }


def _write_card(arguments: Arguments) -> Mapping[str, Any]:
    return {"card": "diff", "path": arguments["path"], "old": None, "new": arguments["text"]}


def _read_card(arguments: Arguments, durable: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"card": "read", "path": arguments["path"], "content": durable.get("content")}


def _search_card(arguments: Arguments, durable: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"card": "search", "query": arguments["pattern"], "content": durable.get("content")}
