"""Standard output and error of a program: text streams whose writes are frames at once.

Each print is one frame, sent before the program goes on: what was printed is kept whatever kills
the guest next, and its order against calls is the order on the bridge.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import sys
from typing import Any, Final, NoReturn, cast

from codemode.sandbox.guest.hidden import Slot
from codemode.sandbox.guest.scheduler import SCHEDULER
from codemode.sandbox.marks import override
from codemode.sandbox.program import Stream
from codemode.sandbox.text import encodable

#: Longer texts go in pieces, so that no frame is too large.
_PIECE_CHARS = 64 << 10


class ByteConsole(io.BufferedIOBase):
    """The bytes under one of the streams: what is written here is UTF-8 text there, at once."""

    __slots__ = ("_console", "_decoder")

    @override
    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(_FIXED)

    @override
    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(_FIXED)

    @override
    def write(self, data: Any, /) -> int:
        """Send `data`; gives its length."""
        console, decoder = _console.get(self), _decoder.get(self)
        held = bytes(memoryview(data))
        console.write(decoder.decode(held))
        return len(held)

    def end(self) -> None:
        """Send what looked like the beginning of a character, and was not."""
        _console.get(self).write(_decoder.get(self).decode(b"", final=True))

    @override
    def writable(self) -> bool:
        """True."""
        return True

    @override
    def close(self) -> None:
        """A wrapper that a program has let go of does not end the stream."""


class Nothing(io.BytesIO):
    """The bytes under the input: there are none."""

    name = "<stdin>"


class Printed:
    """What a run has written so far.

    Attributes:
        anything: Whether anything was written to either stream.
    """

    __slots__ = ("anything",)

    def __init__(self) -> None:
        self.anything = False


PRINTED: Final = Printed()


class Console(io.TextIOBase):
    """One of the two streams; there are no others, and nothing of them can be changed.

    Attributes:
        mode: As the interpreter has it.
    """

    __slots__ = ("_buffer", "_stream")

    mode = "w"
    line_buffering = write_through = False

    @override
    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(_FIXED)

    @override
    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(_FIXED)

    @property
    def name(self) -> str:
        """As the interpreter calls it."""
        return f"<{_stream.get(self)}>"

    @property
    def buffer(self) -> ByteConsole:
        """The bytes under it."""
        return _buffer.get(self)

    @property
    @override
    def encoding(self) -> str:  # type: ignore[override]  # read-only in fact
        """Always UTF-8."""
        return "utf-8"

    @property
    @override
    def errors(self) -> str:  # type: ignore[override]  # read-only in fact
        """Lone surrogates are written as escapes."""
        return "backslashreplace"

    @override
    def write(self, text: Any, /) -> int:
        """Send `text`; gives its length."""
        stream = _stream.get(self)
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            PRINTED.anything = True
        for start in range(0, len(text), _PIECE_CHARS):
            SCHEDULER.port.out(stream, encodable(str(text[start : start + _PIECE_CHARS])))
        return len(text)

    @override
    def writable(self) -> bool:
        """True."""
        return True

    @override
    def isatty(self) -> bool:
        """False."""
        return False

    def reconfigure(
        self,
        *,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
        line_buffering: Any = None,
        write_through: Any = None,
    ) -> None:
        """Nothing: it is always UTF-8, and sent at once."""

    @override
    def detach(self) -> Any:
        """The bytes under it; the stream itself goes on."""
        return self.buffer

    @override
    def __repr__(self) -> str:
        return f"<_io.TextIOWrapper name={self.name!r} mode='w' encoding='utf-8'>"

    @override
    def fileno(self) -> NoReturn:
        """There is no descriptor behind it."""
        raise io.UnsupportedOperation("fileno")


# What programs, and whoever reads their tracebacks, know such a stream as.
Console.__module__, Console.__name__, Console.__qualname__ = "_io", "TextIOWrapper", "TextIOWrapper"
Nothing.__module__, Nothing.__name__, Nothing.__qualname__ = (
    "_io",
    "BufferedReader",
    "BufferedReader",
)
ByteConsole.__module__, ByteConsole.__name__, ByteConsole.__qualname__ = (
    "_io",
    "BufferedWriter",
    "BufferedWriter",
)

_FIXED: Final = "the streams of the run are fixed"

_console: Final[Slot[Console]] = Slot(ByteConsole, "_console")
_decoder: Final[Slot[codecs.IncrementalDecoder]] = Slot(ByteConsole, "_decoder")
_stream: Final[Slot[Stream]] = Slot(Console, "_stream")
_buffer: Final[Slot[ByteConsole]] = Slot(Console, "_buffer")


def _make(stream: Stream) -> Console:
    console, under = Console(), ByteConsole()
    _stream.put(console, stream)
    _buffer.put(console, under)
    _console.put(under, console)
    _decoder.put(under, codecs.getincrementaldecoder("utf-8")("backslashreplace"))
    return console


STDOUT: Final = _make("stdout")
STDERR: Final = _make("stderr")


def install() -> None:
    """Make the interpreter's own streams these, input an end of file, and arguments none."""
    sys.stdout = sys.__stdout__ = STDOUT  # type: ignore[misc,assignment]  # programs put it back
    sys.stderr = sys.__stderr__ = STDERR  # type: ignore[misc,assignment]  # as above
    empty = io.TextIOWrapper(Nothing(), encoding="utf-8")
    sys.stdin = sys.__stdin__ = empty  # type: ignore[misc]  # as above
    sys.argv = [
        "program.py"
    ]  # the process's own tell of its descriptors, and `argparse` reads them


def flush() -> None:
    """Write what is still held back, in the place of a stream or under it, as at any exit."""
    for stream in (sys.stdout, sys.stderr):
        if type(stream) is io.TextIOWrapper:
            # What the program has put under it may raise or exit, when its end is decided already.
            with contextlib.suppress(BaseException):
                stream.flush()
    for console in (STDOUT, STDERR):
        console.buffer.end()


_native_print: Final[Any] = print


def program_print(
    *values: object,
    sep: str | None = " ",
    end: str | None = "\n",
    file: Any = None,
    flush: bool = False,
    **unknown: Any,
) -> None:
    """Print the values to a stream, or to standard output by default.

    For the run's own output the text is put together first: one print is one piece of it.
    """
    if unknown:
        _native_print(**unknown)  # raises, in the interpreter's own words
    for name, text in (("sep", cast("Any", sep)), ("end", cast("Any", end))):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{name} must be None or a string, not {type(text).__name__}")
    sep, end = " " if sep is None else sep, "\n" if end is None else end
    stream = sys.stdout if file is None else file
    if stream is None:
        return
    if type(stream) is Console:
        stream.write(sep.join(map(str, values)) + end)
    else:  # a class of the program's may count its writes
        for index, value in enumerate(values):
            if index:
                stream.write(sep)
            stream.write(str(value))
        stream.write(end)
    if flush and hasattr(stream, "flush"):
        stream.flush()


program_print.__name__ = program_print.__qualname__ = "print"  # for its own error messages


def program_input(prompt: object = "") -> str:
    """A line of what the program has put in place of its input; there is nobody else to answer."""
    if prompt != "":
        program_print(prompt, end="")
    line = sys.stdin.readline()
    if line:
        return line.removesuffix("\n")
    raise EOFError(
        "input() has nobody to answer it here: write the value into the program, or call a function"
    )


program_input.__name__ = program_input.__qualname__ = "input"
