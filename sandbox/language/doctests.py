"""`doctest.testmod` for programs: examples in docstrings, run under the same policy.

The library's own module compiles text past the policy, reads frames and loads the debugger. Here
the examples are found with a pattern, compiled like any program, and compared as text; the two
options that are in use, ELLIPSIS and NORMALIZE_WHITESPACE, are understood.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from codemode.sandbox.language.attributes import NAMES
from codemode.sandbox.language.compile import compile_program
from codemode.sandbox.language.ownership import is_class, is_own

_EXAMPLE: Final = re.compile(
    r"^(?P<indent> *)>>> ?(?P<source>.*(?:\n(?P=indent)\.\.\.(?: .*)?)*)\n?"
    r"(?P<want>(?:(?!(?P=indent)>>>)(?P=indent)\S.*\n?|(?P=indent) +\S.*\n?)*)",
    re.MULTILINE,
)
_TRACEBACK: Final = "Traceback (most recent call last):"


class TestResults(NamedTuple):
    """How many examples failed, of how many."""

    failed: int
    attempted: int


def testmod(
    m: Any = None,  # noqa: PT028 - the name is the library's; this is no test
    *_: Any,
    verbose: bool = False,  # noqa: PT028 - as above
    **__: Any,
) -> TestResults:
    """Run the examples of the calling program's docstrings; failures are printed.

    Args:
        m: Accepted as the library does; there is one module.
        verbose: Print a last line even when everything passed.
    """
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]  # the documented way
    namespace = dict(frame.f_globals)
    failed = attempted = 0
    for name, text in _docstrings(namespace):
        scope = dict(namespace)
        for found in _EXAMPLE.finditer(text.expandtabs()):
            attempted += 1
            failed += not _passes(name, found, scope)
    if failed or verbose:
        print(f"{attempted} tests; {failed} failed.")  # noqa: T201 - the program's own output
    return TestResults(failed, attempted)


def _docstrings(namespace: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(namespace.get("__doc__"), str):
        yield "__main__", namespace["__doc__"]
    for name, value in namespace.items():
        if name.startswith("$") or not is_own(value):
            continue
        held: Any = value.__dict__ if is_class(value) else {}
        found: list[tuple[str, Any]] = [(name, value)]
        found += [
            (f"{name}.{key}", item)
            for key, item in held.items()
            if is_own(item) or isinstance(item, (property, classmethod, staticmethod))
        ]
        for part, item in found:
            text = getattr(item, "__doc__", None)
            if isinstance(text, str) and ">>>" in text:
                yield part, text


def _passes(name: str, found: re.Match[str], scope: dict[str, Any]) -> bool:
    indent = len(found["indent"])
    lines = found["source"].split("\n")
    source = "\n".join([lines[0], *(line[indent + 4 :] for line in lines[1:])])
    want = "\n".join(line[indent:] for line in found["want"].rstrip("\n").split("\n"))
    got = _output(source, scope)
    if _matches(want, got, found["source"]):
        return True
    report = f"Failed example in {name}:\n    {source}\nExpected:\n    {want}\nGot:\n    {got}"
    print(report)  # noqa: T201 - as above
    return False


def _output(source: str, scope: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            compiled = compile_program(source, filename="<doctest>", foreign_names=NAMES.foreign)
            scope.pop("$result", None)
            compiled.start(scope)
            has_result, value = compiled.result(scope, printed=True)
            if has_result and value is not None:
                print(repr(value))  # noqa: T201 - into the text that is compared
        except Exception as error:  # noqa: BLE001 - the example may raise anything
            shown = f"{type(error).__name__}: {error}".rstrip(": ")
            print(f"{_TRACEBACK}\n{shown}")  # noqa: T201 - as above
    return printed.getvalue().rstrip("\n")


def _matches(want: str, got: str, source: str) -> bool:
    want = want.replace("<BLANKLINE>", "")
    if want.startswith(_TRACEBACK):
        return got.startswith(_TRACEBACK) and got.splitlines()[-1] in want
    if "NORMALIZE_WHITESPACE" in source:
        want, got = " ".join(want.split()), " ".join(got.split())
    if "ELLIPSIS" in source:
        return (
            re.fullmatch(".*".join(map(re.escape, want.split("..."))), got, re.DOTALL) is not None
        )
    return want.rstrip() == got.rstrip()
