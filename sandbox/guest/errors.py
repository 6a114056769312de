"""What a program's author reads when it fails: its own frames, its own lines, and nothing endless.

Must never run a method of the program's objects outside of `traceback`'s own careful calls, and
never show a frame of ours.
"""

from __future__ import annotations

import linecache
import re
import traceback
from types import TracebackType
from typing import Any, Final

from codemode.sandbox.bridge.messages import Fail, GuestKind
from codemode.sandbox.guest import hints
from codemode.sandbox.marks import override
from codemode.sandbox.text import encodable

#: The last frames of a deep recursion that are shown.
_FRAMES: Final = 20
#: Frames that are looked at to find them.
_FRAMES_READ: Final = 2_000
_NAME_CHARS: Final = 200
_MESSAGE_CHARS: Final = 8_000
_ERROR_CHARS: Final = 2_000
_TRACEBACK_CHARS: Final = 12_000


class GuestCallError(Exception):
    """A bound function failed. Programs see a subclass with the name that the host chose.

    Attributes:
        tool_name: The name under which it was called.
        message: What went wrong and what to change.
        code: One of a small stable set.
        line: The program's line that made the call, where another one waited for it.
    """

    line: int | None = None

    def __init__(self, tool_name: str, message: str, code: str = "TOOL_ERROR") -> None:
        super().__init__(tool_name, message, code)
        self.tool_name = tool_name
        self.message = message
        self.code = code

    @override
    def __str__(self) -> str:
        return f"{self.message} [{self.code}]"


class ForgottenAwaitError(RuntimeError):
    """The answer of a call was used, or dropped, where it had not been awaited."""

    __module__ = "builtins"  # so that a traceback shows the bare name


def call_error_class(name: str) -> type[GuestCallError]:
    """The class that failing calls raise in this program, named as the host wants it."""
    return type(
        name, (GuestCallError,), {"__module__": "builtins", "__doc__": GuestCallError.__doc__}
    )


def register_source(filename: str, source: str) -> None:
    """Let tracebacks show the program's lines: there is no file to read them from."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)


def describe(error: BaseException, filename: str, *, kind: GuestKind = "exception") -> Fail:
    """The failure that an exception of the program's means, whatever its own methods do.

    Raises:
        MemoryError: There is no room for the words.
    """
    name = bounded(type.__getattribute__(type(error), "__name__"), _NAME_CHARS)
    try:
        return _described(error, filename, kind, name)
    except MemoryError:
        raise
    except BaseException:  # noqa: BLE001  # of a property of the error's, of its notes
        line = last_line(error.__traceback__, filename)
        message = bounded(f"{name}: <exception str() failed>", _ERROR_CHARS)
        return Fail(kind=kind, message=message, traceback="", line=line, limit=None, exception=name)


def _described(error: BaseException, filename: str, kind: GuestKind, name: str) -> Fail:
    walked = traceback.TracebackException(
        type(error), error, error.__traceback__, limit=-_FRAMES_READ, compact=True
    )
    _keep_own(walked, error, filename)
    message = bounded("".join(walked.format_exception_only()).strip(), _ERROR_CHARS)
    text = "".join(walked.format())
    hint = hints.hint(error, message)
    return Fail(
        kind=kind,
        message=f"{message}\nHint: {hint}" if hint else message,
        traceback=bounded(text, _TRACEBACK_CHARS),
        line=last_line(error.__traceback__, filename),
        limit=None,
        exception=name,
    )


def describe_syntax(error: SyntaxError, filename: str) -> Fail:
    """The failure that a program means which does not even compile: line, column, caret."""
    line = error.lineno if error.lineno and error.lineno > 0 else None
    if line is not None and error.text is None:  # what only the compiler refuses has no text
        error.text = linecache.getline(filename, line)
    text = "".join(traceback.TracebackException(type(error), error, None).format_exception_only())
    where = f" ({filename}, line {line})" if line is not None else ""
    hint = hints.syntax_hint(error.msg, error.text or "")
    message = bounded(f"{type(error).__name__}: {error.msg}{where}", _ERROR_CHARS)
    return Fail(
        kind="syntax",
        message=f"{message}\nHint: {hint}" if hint else message,
        traceback=bounded(text, _TRACEBACK_CHARS),
        line=line,
        limit=None,
        exception=type(error).__name__,
    )


def plain(
    kind: GuestKind,
    message: str,
    *,
    line: int | None = None,
    limit: str | None = None,
    trace: str = "",
) -> Fail:
    """A failure that no exception stands for."""
    return Fail(
        kind=kind,
        message=bounded(message, _MESSAGE_CHARS),
        traceback=bounded(trace, _TRACEBACK_CHARS),
        line=line,
        limit=limit,
        exception=None,
    )


def last_line(trace: TracebackType | None, filename: str) -> int | None:
    """The program's line that was executing in the innermost of its frames."""
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            line = trace.tb_lineno or line
        trace = trace.tb_next
    return line


def bounded(text: str, most: int) -> str:
    """`text`, with its middle left out if it is longer than `most` characters, and UTF-8 clean."""
    if len(text) > most:
        half = most // 2
        text = (
            f"{text[:half]}\n... [{len(text) - 2 * half} characters left out] ...\n{text[-half:]}"
        )
    return encodable(text)


def _keep_own(walked: Any, error: BaseException | None, filename: str) -> None:
    """Drop foreign frames from an exception and all chained to it, and say what was meant."""
    seen: set[int] = set()
    todo: list[tuple[Any, Any]] = [(walked, error)]
    while todo:
        one, real = todo.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        own = [frame for frame in one.stack if frame.filename == filename]
        one.stack = traceback.StackSummary.from_list(own[-_FRAMES:])
        if real is not None:
            one._str = f"{_UNSPEAKABLE.sub('', str(one._str))}{_besides(real, is_bare=not own)}"
        todo += [
            (one.__cause__, getattr(real, "__cause__", None)),
            (one.__context__, getattr(real, "__context__", None)),
            *zip(one.exceptions or (), getattr(real, "exceptions", ()), strict=False),
        ]


#: A suggestion of the interpreter's that names one of our hooks.
_UNSPEAKABLE: Final = re.compile(r"\. Did you mean: '\$[^']*'\?")


def _besides(error: BaseException, *, is_bare: bool) -> str:
    """What a traceback's last line says besides the error's own text."""
    if is_bare and isinstance(error, GuestCallError) and type(error.line) is int:
        return f" (called on line {error.line})"
    return hints.suggestion(error, error.__traceback__)
