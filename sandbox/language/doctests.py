"""`doctest.testmod` for programs: examples in docstrings, run under the same policy.

The library's own module compiles text past the policy, reads frames and loads the debugger. Here
the examples are found with a pattern, compiled like any program, and compared as text; the
options that are in use are understood. What is printed about
them is what the library prints. Source: the documentation of `doctest`.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import linecache
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from types import FrameType, FunctionType
from typing import Any, Final, NamedTuple

from codemode.sandbox.language.attributes import NAMES, is_dunder
from codemode.sandbox.language.compile import SHOW, compile_program
from codemode.sandbox.language.ownership import (
    MARK,
    PROGRAM_FOLDER,
    PROGRAM_MODULE,
    is_class,
    is_own,
)
from codemode.sandbox.language.refusals import PolicyRefusal
from codemode.sandbox.language.spelling import exact

_EXAMPLE: Final = re.compile(
    r"^(?P<indent> *)>>> ?(?P<source>.*(?:\n(?P=indent)\.\.\.(?: .*)?)*)\n?"
    r"(?P<want>(?:(?!(?P=indent)>>>)(?P=indent)\S.*\n?|(?P=indent) +\S.*\n?)*)",
    re.MULTILINE,
)
#: What stands behind a prompt and is none: a remark, or nothing.
_NO_EXAMPLE: Final = re.compile(r" *(?:#.*)?")
_TRACEBACK: Final = "Traceback (most recent call last):"


class TestResults(NamedTuple):
    """How many examples failed, of how many."""

    failed: int
    attempted: int


class _Item(NamedTuple):
    """What may hold examples: its name, its docstring, and the line above it, from 0, if known."""

    name: str
    text: str
    line: int | None


def testmod(
    m: Any = None,  # noqa: PT028 - the name is the library's; this is no test
    name: str | None = None,  # noqa: PT028 - as above
    globs: Any = None,  # noqa: PT028 - as above
    verbose: bool = False,  # noqa: PT028 - as above
    report: bool = True,  # noqa: PT028 - as above
    optionflags: int = 0,  # noqa: PT028 - as above
    **_: Any,
) -> TestResults:
    """Run the examples of the calling program's docstrings, and print as the library does.

    Args:
        m: Accepted as the library does; there is one module.
        name: What to call the module.
        globs: Names for the examples, instead of the program's own.
        verbose: Print each example and a summary even when everything passed.
        report: Print a summary when something failed.
        optionflags: What is switched on for every example.
    """
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # the documented way
    namespace, filename = _called_from(frame)
    scope = {**namespace, **_named(globs)} if globs else namespace
    counts: dict[str, TestResults] = {}
    for item in sorted(_items(name or "__main__", namespace, linecache.getlines(filename))):
        counts[item.name] = _run_item(
            item, dict(scope), filename, verbose=bool(verbose), given=optionflags
        )
    if report or verbose:
        _summarize(counts, verbose=bool(verbose))
    return _total(counts)


def run_docstring_examples(
    f: Any,
    globs: Any,
    verbose: bool = False,
    name: str = "NoName",
    compileflags: Any = None,
    optionflags: int = 0,
    **_: Any,
) -> None:
    """Run the examples of one docstring, with the names in `globs` besides the program's own."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # the documented way
    namespace, filename = _called_from(frame)
    scope = {**namespace, **_named(globs)}
    if verbose:
        _say(f"Finding tests in {name}\n")
    item = _item(name, f, linecache.getlines(filename))
    _run_item(item, scope, filename, verbose=bool(verbose), given=optionflags)


def _called_from(frame: FrameType) -> tuple[dict[str, Any], str]:
    """The program's globals and file: the caller's, unless library code was told to call."""
    held = frame.f_globals
    if MARK in held:
        return held, frame.f_code.co_filename
    held = vars(sys.modules[PROGRAM_MODULE])
    return held, held["__file__"].removeprefix(PROGRAM_FOLDER)


def _named(globs: Mapping[Any, Any]) -> dict[str, Any]:
    """The names that a program gives to its examples; none takes the place of a check.

    Special names say what a namespace is: by `__name__` libraries look classes up.
    """
    given = {exact(name): value for name, value in dict(globs).items()}
    return {k: v for k, v in given.items() if not k.startswith("$") and not is_dunder(k)}


def _items(module: str, namespace: Mapping[str, Any], lines: list[str]) -> Iterator[_Item]:
    """The module, its functions and classes, and what those classes define."""
    text = namespace.get("__doc__")
    yield _Item(module, text, 0) if isinstance(text, str) else _Item(module, "", None)
    seen: set[int] = set()
    todo = [
        (f"{module}.{name}", value)
        for name, value in namespace.items()
        if not name.startswith("$") and is_own(value) and (is_class(value) or callable(value))
    ]
    for name, value in todo:
        if id(value) in seen or not (
            is_class(value) or isinstance(value, property) or inspect.isroutine(_unwrapped(value))
        ):
            continue
        seen.add(id(value))
        yield _item(name, value, lines)
        if is_class(value):
            held: Any
            for key, held in vars(value).items():
                is_wrapped = type(held) in (staticmethod, classmethod)
                member: Any = held.__func__ if is_wrapped else held
                if isinstance(member, property) or is_own(_unwrapped(member)):
                    todo.append((f"{name}.{key}", member))


def _unwrapped(value: Any) -> Any:
    """The function behind decorators; `value` itself where there is no end to them."""
    try:
        return inspect.unwrap(value)
    except ValueError:
        return value


def _item(name: str, value: Any, lines: list[str]) -> _Item:
    text = getattr(value, "__doc__", None)
    if not isinstance(text, str):
        return _Item(name, "", None)
    return _Item(name, text, _line_of_docstring(value, lines))


def _line_of_docstring(value: Any, lines: list[str]) -> int | None:
    start: int | None = None
    if is_class(value):
        head = re.compile(rf"\s*class\s*{re.escape(value.__name__)}\b")
        start = next((index for index, line in enumerate(lines) if head.match(line)), None)
    else:
        function = _unwrapped(value.fget if isinstance(value, property) else value)
        if type(function) is FunctionType:
            start = function.__code__.co_firstlineno - 1
    if start is None:
        return None
    quote = re.compile(r"(^|.*:)\s*\w*(\"|')")
    return next((index for index in range(start, len(lines)) if quote.match(lines[index])), None)


def _run_item(
    item: _Item, scope: dict[str, Any], filename: str, *, verbose: bool, given: int
) -> TestResults:
    failed = attempted = 0
    text = item.text.expandtabs()
    for found in _EXAMPLE.finditer(text):
        source, want = _source(found), _want(found)
        options = _options(source, given)
        if "SKIP" in options or _NO_EXAMPLE.fullmatch(source):
            continue
        attempted += 1
        if verbose:
            expecting = f"Expecting:\n{_indented(want)}" if want else "Expecting nothing\n"
            _say(f"Trying:\n{_indented(source)}{expecting}")
        got = _run_example(source, scope)
        if got.is_expected(want, options):
            if verbose:
                _say("ok\n")
            continue
        failed += 1
        line: Any = "?" if item.line is None else item.line + text.count("\n", 0, found.start()) + 1
        _say(f'{_RULE}\nFile "{filename}", line {line}, in {item.name}\n')
        _say(f"Failed example:\n{_indented(source)}{_difference(want, got)}")
    return TestResults(failed, attempted)


def _source(found: re.Match[str]) -> str:
    indent = len(found["indent"])
    lines = found["source"].split("\n")
    return "\n".join([lines[0], *(line[indent + 4 :] for line in lines[1:])])


def _want(found: re.Match[str]) -> str:
    indent = len(found["indent"])
    return "\n".join(line[indent:] for line in found["want"].rstrip("\n").split("\n"))


def _difference(want: str, ran: _Ran) -> str:
    if ran.error is not None and _expected_error(want) is None:
        return f"Exception raised:\n{_indented(ran.trace)}"
    got = "\n".join(filter(None, (ran.printed, ran.trace)))
    got = re.sub(r"(?m)^ *$", "<BLANKLINE>", got) if got else ""
    if want and got:
        return f"Expected:\n{_indented(want)}Got:\n{_indented(got)}"
    if want:
        return f"Expected:\n{_indented(want)}Got nothing\n"
    return f"Expected nothing\nGot:\n{_indented(got)}"


def _summarize(counts: Mapping[str, TestResults], *, verbose: bool) -> None:
    total = _total(counts)
    bare = sorted(name for name, count in counts.items() if not count.attempted)
    passed = sorted(n for n, count in counts.items() if count.attempted and not count.failed)
    failing = sorted(name for name, count in counts.items() if count.failed)
    if verbose and bare:
        _say(f"{_many(len(bare), 'item')} had no tests:\n")
        _say("".join(f"    {name}\n" for name in bare))
    if verbose and passed:
        _say(f"{_many(len(passed), 'item')} passed all tests:\n")
        _say("".join(f" {_many(counts[n].attempted, 'test', 3)} in {n}\n" for n in passed))
    if failing:
        _say(f"{_RULE}\n{_many(len(failing), 'item')} had failures:\n")
        for name in failing:
            _say(f" {counts[name].failed:3d} of {counts[name].attempted:3d} in {name}\n")
    if verbose:
        _say(f"{_many(total.attempted, 'test')} in {_many(len(counts), 'item')}.\n")
        told = f" and {total.failed} failed" if total.failed or not _IS_COUNTED_WELL else ""
        _say(f"{total.attempted - total.failed} passed{told}.\n")
    if total.failed:
        _say(f"***Test Failed*** {_many(total.failed, 'failure')}.\n")
    elif verbose:
        _say("Test passed.\n")


def _total(counts: Mapping[str, TestResults]) -> TestResults:
    return TestResults(
        sum(count.failed for count in counts.values()),
        sum(count.attempted for count in counts.values()),
    )


#: Since 3.13 the library tells one from many.
_IS_COUNTED_WELL: Final = sys.version_info >= (3, 13)
_RULE: Final = "*" * 70


def _many(count: int, noun: str, width: int = 0) -> str:
    is_one = count == 1 and _IS_COUNTED_WELL
    return f"{count:{width}d} {noun}{'' if is_one else 's'}"


def _indented(text: str) -> str:
    return re.sub(r"(?m)^(?!$)", "    ", text) + "\n"


def _say(text: str) -> None:
    print(text, end="")  # noqa: T201 - the program's own output


def _show(value: object) -> None:
    if value is not None:
        print(repr(value))  # noqa: T201 - into the text that is compared


class _Ran(NamedTuple):
    """What an example did.

    Attributes:
        printed: Without the last end of line.
        error: What is shown of what it raised, from the name on; None when it raised nothing.
    """

    printed: str
    error: str | None

    @property
    def trace(self) -> str:
        """The error as it is shown; "" when there is none."""
        return "" if self.error is None else f"{_TRACEBACK}\n{self.error}"

    def is_expected(self, want: str, options: frozenset[str]) -> bool:
        """Whether it did what the docstring says; what was printed before an error is nobody's."""
        if self.error is None:
            return _matches(want, self.printed, options)
        error = _expected_error(want)
        if error is None:
            return False
        if "IGNORE_EXCEPTION_DETAIL" in options:
            return _kind_of_error(error) == _kind_of_error(self.error)
        return _matches(error, self.error, options)


def _run_example(source: str, scope: dict[str, Any]) -> _Ran:
    printed = io.StringIO()
    scope[SHOW] = _show
    error: str | None = None
    with contextlib.redirect_stdout(printed):
        try:
            compile_program(
                source, filename="<doctest>", foreign_names=NAMES.foreign, is_prompt=True
            ).start(scope)
        except PolicyRefusal as refused:
            error = f"{type(refused).__name__}: {refused}"
        except Exception as raised:  # noqa: BLE001 - the example may raise anything
            error = traceback.format_exception_only(raised)[-1].rstrip("\n")
    return _Ran(printed.getvalue().rstrip("\n"), error)


#: How a docstring shows an error: the stack is left out, or is whatever it is.
_ERROR: Final = re.compile(
    r"Traceback \((?:most recent call last|innermost last)\):\s*$.*?^(?P<error>\w+.*)",
    re.MULTILINE | re.DOTALL,
)


def _expected_error(want: str) -> str | None:
    found = _ERROR.match(want)
    return None if found is None else found["error"]


def _kind_of_error(error: str) -> str:
    name: str = error.partition("\n")[0].partition(":")[0]
    return name.rpartition(".")[2]


def _matches(want: str, got: str, options: frozenset[str]) -> bool:
    want = want.replace("<BLANKLINE>", "")
    if (got, want) in (("True", "1"), ("False", "0")):  # of examples that are older than `bool`
        return True
    if "NORMALIZE_WHITESPACE" in options:
        want, got = " ".join(want.split()), " ".join(got.split())
    if "ELLIPSIS" in options:
        return (
            re.fullmatch(".*".join(map(re.escape, want.split("..."))), got, re.DOTALL) is not None
        )
    return want.rstrip() == got.rstrip()


#: The options that are understood, and the numbers that the library has for them.
OPTIONS: Final = {
    "NORMALIZE_WHITESPACE": 4,
    "ELLIPSIS": 8,
    "SKIP": 16,
    "IGNORE_EXCEPTION_DETAIL": 32,
}
_DIRECTIVE: Final = re.compile(r"#\s*doctest:\s*(.*)$", re.MULTILINE)


def _options(source: str, given: int) -> frozenset[str]:
    """What is switched on for an example: by the call, and by a comment in its source."""
    options = {name for name, number in OPTIONS.items() if given & number}
    for directive in _DIRECTIVE.findall(source):
        for sign, name in re.findall(r"([+-])(\w+)", directive):
            (options.add if sign == "+" else options.discard)(name)
    return frozenset(options)
