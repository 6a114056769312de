"""What an error's author is told besides."""

from __future__ import annotations

import datetime
import math
import sys
from collections.abc import Callable
from typing import Any

import pytest
from typing_extensions import override

from codemode.sandbox.guest import errors, hints
from codemode.sandbox.language.view import make_view

OLD = pytest.mark.skipif(sys.version_info >= (3, 12), reason="the interpreter says it by itself")


class Order:
    """Has one attribute of its own and a method."""

    def __init__(self) -> None:
        self.amount = 1

    @override
    def __dir__(self) -> list[str]:
        raise AssertionError("nothing of the program's is called")


def caught(run: Callable[[], object]) -> Exception:
    try:
        run()
    except Exception as error:  # noqa: BLE001 - whatever it is, its words are looked at
        return error
    raise AssertionError("it did not fail")


def said(error: Exception) -> str:
    return hints.suggestion(error, error.__traceback__)


@OLD
@pytest.mark.spec("SANDBOX 7.1")
def test_a_near_name_is_offered_as_newer_interpreters_offer_it() -> None:
    total = 3
    assert said(caught(lambda: totl + total)) == ". Did you mean: 'total'?"  # type: ignore[name-defined]  # noqa: F821 - misspelt
    assert said(caught(lambda: Order().amout)) == ". Did you mean: 'amount'?"  # type: ignore[attr-defined]  # misspelt
    assert said(caught(lambda: Order().unlike_anything)) == ""  # type: ignore[attr-defined]  # absent


@OLD
@pytest.mark.spec("SANDBOX 7.1")
def test_a_module_that_was_not_imported_is_named() -> None:
    error = caught(lambda: statistics.mean([1]))  # type: ignore[name-defined]  # noqa: F821 - forgotten
    assert said(error) == ". Did you forget to import 'statistics'?"


@OLD
def test_a_message_that_offers_a_name_already_is_left_alone() -> None:
    error = AttributeError("no 'x'; did you mean 'y'?", name="amout", obj=Order())
    assert said(error) == ""


@pytest.mark.spec("SANDBOX 7.1")
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FileNotFoundError(2, "no"), "this run's own"),
        (RecursionError("deep"), "a loop"),
        (TypeError("'coroutine' object is not subscriptable"), "await"),
        (ValueError("x"), ""),
    ],
)
def test_a_hint_says_what_to_do(error: Exception, text: str) -> None:
    assert text in hints.hint(error, str(error))
    assert bool(hints.hint(error, str(error))) is bool(text)


@pytest.mark.spec("SANDBOX 7.2")
def test_a_syntax_error_of_the_compiler_shows_its_line() -> None:
    source = "def f():\n    return await g()\n"
    errors.register_source("a_program.py", source)
    with pytest.raises(SyntaxError) as caught_:
        compile(source, "a_program.py", "exec")
    caught_.value.text = None
    failure = errors.describe_syntax(caught_.value, "a_program.py")
    assert "    return await g()\n" in failure.traceback
    assert "write `async def`" in failure.message


@pytest.mark.spec("SANDBOX 7.1")
@pytest.mark.parametrize(
    ("line", "message", "version", "text"),
    [
        ("type Point = tuple[int, int]", "invalid syntax", (3, 11), "`type` statements need"),
        ("type Pair[T] = tuple[T, T]", "invalid syntax", (3, 11), "`type` statements need"),
        ("type Point = (", "'(' was never closed", (3, 12), ""),
        ("def first[T](x: T) -> T: ...", "expected '('", (3, 11), "type parameters in brackets"),
        ("async def f[T](): ...", "expected '('", (3, 11), "type parameters in brackets"),
        ("class Box[T]:", "invalid syntax", (3, 11), "type parameters in brackets"),
        ("x = t'a {b}'", "invalid syntax", (3, 13), "t-strings need Python 3.14"),
        ("print'a'", "invalid syntax", (3, 13), ""),
        ('f"{d["a"]}"', "f-string: unmatched '['", (3, 11), "use the other quotes"),
        ('f"{d["', "f-string: expecting '}'", (3, 12), ""),
        ("type = = 3", "invalid syntax", (3, 11), ""),
    ],
)
def test_newer_syntax_says_which_python_it_needs(
    line: str, message: str, version: tuple[int, int], text: str
) -> None:
    found = hints.syntax_hint(message, line, version)
    assert text in found
    assert bool(found) is bool(text)


@pytest.mark.spec("SANDBOX 7.1")
def test_a_class_that_was_taken_for_its_module_is_told() -> None:
    kind: Any = datetime.datetime
    function: Any = math.floor
    for run, text in (
        (lambda: kind.datetime.now(), "the class already, and not its module: write `datetime`"),
        (lambda: kind.timedelta(days=1), "`from datetime import timedelta`"),
        (lambda: function.ceil(2), "`floor` is the function, and not its module"),
        (lambda: kind.nonsense, ""),
    ):
        error = caught(run)
        found = hints.hint(error, str(error))
        assert text in found
        assert bool(found) is bool(text)


def test_a_module_that_was_taken_for_what_is_in_it_is_told() -> None:
    module: Any = make_view({"datetime": datetime.datetime}, "datetime", {})
    error = caught(lambda: module.now())
    assert hints.hint(error, str(error)) == "write `datetime.datetime.now`"
    error = caught(lambda: module.nonsense)
    assert hints.hint(error, str(error)) == ""
    error = caught(lambda: module({}))
    assert "from module import function" in hints.hint(error, str(error))


def test_a_name_of_a_hook_is_never_offered() -> None:
    error = NameError("name 'own' is not defined. Did you mean: '$own'?")
    assert errors.describe(error, "p.py").message == "NameError: name 'own' is not defined"
