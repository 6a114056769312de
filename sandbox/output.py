"""What a program printed: kept in order, streamed on, and bounded while it comes."""

from __future__ import annotations

import inspect
from typing import Any, Final, cast

from codemode.sandbox.bridge.messages import Out
from codemode.sandbox.limits import Limits
from codemode.sandbox.program import LogEntry, OnOutput, Stream
from codemode.sandbox.text import clean

#: Printed text is kept in entries of about this size.
_ENTRY_CHARS: Final = 4 << 10


class Logs:
    """What was printed, in order, in entries of one stream each."""

    def __init__(self, limits: Limits, on_output: OnOutput | None) -> None:
        self._limits = limits
        self._on_output = on_output
        self._entries: list[tuple[Stream, list[str]]] = []
        self._last_chars = 0
        self._bytes = 0

    def add(self, out: Out) -> str | None:
        """Keep a piece; gives the name of the limit that it passes, having kept what fits."""
        text = out.text
        size = len(text) if text.isascii() else len(text.encode())
        excess = self._bytes + size - self._limits.output_bytes
        if excess > 0:
            text = text.encode()[: size - excess].decode(errors="ignore")
        self._bytes += size
        if text:
            text = clean(text)
            if (
                not self._entries
                or self._entries[-1][0] != out.stream
                or self._last_chars > _ENTRY_CHARS
            ):
                if len(self._entries) >= self._limits.log_entries:
                    return "log_entries"
                self._entries.append((out.stream, []))
                self._last_chars = 0
            self._entries[-1][1].append(text)
            self._last_chars += len(text)
            if self._on_output is not None:
                _show(LogEntry(stream=out.stream, text=text), self._on_output)
        return "output_bytes" if excess > 0 else None

    def entries(self) -> tuple[LogEntry, ...]:
        """Everything that was kept."""
        return tuple(
            LogEntry(stream=stream, text="".join(parts)) for stream, parts in self._entries
        )


def _show(entry: LogEntry, on_output: OnOutput) -> None:
    """Show a piece to the host's own function, and say whose fault it is if that fails."""
    try:
        answer: Any = cast("Any", on_output)(entry)  # an untyped host's may give anything
    except Exception as error:
        error.add_note("on_output failed")  # the caller's own function: it stays what it is
        raise
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError("on_output is async; it must be a plain function")
