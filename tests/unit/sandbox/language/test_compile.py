"""From text to code, and to the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import PolicyRefusal, compile_program

RESULTS = {
    "1 + 1": (True, 2),
    "x = 5": (True, 5),
    "x: int = 6": (True, 6),
    "a = b = 7": (True, 7),
    "x = 5\nprint(x)": (True, None),
    "print('a')\nx = 5": (False, None),
    "d = {}\nd['a'] = 1": (False, None),
    "a, b = 1, 2": (False, None),
    "for i in range(3): pass": (False, None),
    "": (False, None),
    "return 3": (True, 3),
    "x = 1\nif x:\n    return x + 1\nreturn 0": (True, 2),
    "def f():\n    return y\ny = 4\nreturn f()": (True, 4),
    "x: int = 2\nfor i in [1]:\n    x += i\nreturn x": (True, 3),
    "try:\n    raise ValueError(1)\nexcept ValueError as e:\n    return e.args[0]": (True, 1),
    "import math as m\nclass A: v = m.floor(2.5)\nreturn A.v": (True, 2),
    "from __future__ import annotations\nreturn 1": (True, 1),
    "match [1, 2]:\n    case [a, *b]:\n        return b": (True, [2]),
    "return": (True, None),
    "import asyncio\nawait asyncio.sleep(0)\n8": (True, 8),
    "import asyncio\nawait asyncio.sleep(0)\nreturn 9": (True, 9),
    "async def f():\n    yield 1\n[x async for x in f()]": (True, [1]),
    "async def f():\n    yield 1\nreturn [x async for x in f()]": (True, [1]),
}


@pytest.mark.spec("SANDBOX 5.2", "SANDBOX 5.3")
@pytest.mark.parametrize(("source", "expected"), RESULTS.items())
def test_the_result_of_a_program(
    run: Callable[[str], Any], source: str, expected: tuple[bool, Any]
) -> None:
    ran = run(source)
    assert (ran.has_result, ran.result) == expected


@pytest.mark.spec("SANDBOX 7.2")
def test_a_syntax_error_points_at_the_column_of_the_programs_own_text() -> None:
    with pytest.raises(SyntaxError) as caught:
        compile_program("x = 1\ny = (2,\n", filename="mine.py")
    assert (caught.value.filename, caught.value.lineno, caught.value.offset) == ("mine.py", 2, 5)


@pytest.mark.parametrize(
    "source",
    [
        "(" * 300 + ")" * 300,
        "-" * 100_000 + "1",
        "a" + ".b" * 20_000,
        "x = '\ud800'",
        "a\0b",
        "return (yield 1)",
    ],
)
def test_text_that_no_interpreter_compiles_is_a_syntax_error(source: str) -> None:
    with pytest.raises(SyntaxError):
        compile_program(source)


def test_without_a_policy_the_rules_for_the_result_are_the_same() -> None:
    compiled = compile_program("return __import__('sys').platform", policy="none")
    namespace: dict[str, Any] = {}
    compiled.start(namespace)
    has_result, result = compiled.result(namespace, printed=False)
    assert has_result
    assert isinstance(result, str)


def test_the_top_level_frame_is_called_as_python_calls_it(run: Callable[[str], Any]) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run("x = 1\nif x:\n    1 / 0\nreturn x")
    last = caught.traceback[-1]
    assert (last.name, last.lineno + 1) == ("<module>", 3)


@pytest.mark.spec("SANDBOX 5.6")
@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("x.__globals__", 1, 1),
        ("'é€😀'; x.__globals__", 1, 8),
        ("a = '\u2028'; y = 1\r\n'é'; f(x.__code__)", 2, 8),
        ("x = '\x0c'\nö.f_back", 2, 1),
    ],
)
def test_a_refusal_names_the_column_in_characters(source: str, line: int, column: int) -> None:
    with pytest.raises(PolicyRefusal) as caught:
        compile_program(source)
    (refusal,) = caught.value.refusals
    assert (refusal.line, refusal.column) == (line, column)
