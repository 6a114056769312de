"""Examples in docstrings run under the policy."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[str], Any]
MANY = sys.version_info >= (3, 13)  # since then the library tells one from many

PROGRAM = '''
def half(x):
    """Halve.

    >>> half(4)
    2.0
    >>> for i in range(2):
    ...     print(half(i))
    0.0
    0.5
    >>> half("a")
    Traceback (most recent call last):
        ...
    TypeError: unsupported operand type(s) for /: 'str' and 'int'
    >>> half(1 / 3)  # doctest: +ELLIPSIS
    0.1666...
    >>> [1, 2]  # doctest: +NORMALIZE_WHITESPACE
    [1,   2]
    """
    return x / 2

class A:
    def m(self):
        """
        >>> A().m()
        'm'
        """
        return "m"

import doctest
doctest.testmod()
'''


@pytest.mark.spec("SANDBOX 5.4")
def test_examples_that_hold_count_as_attempted(run: Run) -> None:
    assert run(PROGRAM).result == (0, 6)


def test_an_example_that_does_not_hold_is_told(run: Run) -> None:
    ran = run(PROGRAM.replace("    2.0\n", "    3.0\n", 1))
    assert ran.result == (1, 6)


def test_an_example_is_under_the_policy(run: Run) -> None:
    assert run(PROGRAM.replace("half(4)", "half.__globals__")).result == (1, 6)


SHOWN = '''
"""
>>> for i in range(2):
...     i
0
1
>>> a = 1; a
1
"""
def wrong():
    """
    >>> 1
    2
    """
def bare(): pass
import doctest
doctest.testmod(verbose=True)
'''


def test_every_value_is_shown_as_at_a_prompt(run: Run) -> None:
    assert run(SHOWN).result == (1, 3)


def test_what_is_printed_is_what_the_library_prints(run: Run) -> None:
    item, failure = ("item", "failure") if MANY else ("items", "failures")
    assert run(SHOWN).stdout.endswith(
        "**********************************************************************\n"
        'File "program.py", line ?, in __main__.wrong\n'
        "Failed example:\n    1\nExpected:\n    2\nGot:\n    1\n"
        f"1 {item} had no tests:\n    __main__.bare\n"
        f"1 {item} passed all tests:\n   2 tests in __main__\n"
        "**********************************************************************\n"
        f"1 {item} had failures:\n   1 of   1 in __main__.wrong\n"
        "3 tests in 3 items.\n2 passed and 1 failed.\n"
        f"***Test Failed*** 1 {failure}.\n"
    )


@pytest.mark.spec("SANDBOX 6.5")
@pytest.mark.parametrize(
    "example", ["C.poke(json.JSONEncoder)", "getattr(C, 'poke')(json.JSONEncoder)"]
)
def test_an_example_cannot_hand_a_foreign_self_to_a_method(run: Run, example: str) -> None:
    program = (
        f"import json\nclass C:\n    def poke(self):\n        self.zap = 1\n"
        f'    def x(self):\n        """\n        >>> {example}\n        """\n'
        "C().poke()\nimport doctest\ndoctest.testmod()"
    )
    assert run(program).result == (1, 1)
    assert not hasattr(json.JSONEncoder, "zap")


def test_an_example_cannot_match_a_trusted_method_out_of_its_class(run: Run) -> None:
    program = (
        "class C:\n    def poke(self):\n        self.zap = 1\n"
        '    def x(self):\n        """\n        >>> match C:\n        ...     case object(poke=f):\n'
        '        ...         print(1)\n        1\n        """\n'
        "C().poke()\nimport doctest\ndoctest.testmod()"
    )
    assert run(program).result == (1, 1)


def test_the_options_in_use_are_understood(run: Run) -> None:
    program = (
        'def f():\n    """\n    >>> 1 / 0  # doctest: +SKIP\n    2\n'
        "    >>> int('x')  # doctest: +IGNORE_EXCEPTION_DETAIL\n    Traceback (most recent call last):\n"
        "    ValueError: other words\n    >>> 1 / 3\n    0.33...\n"
        '    >>> 1 / 3  # doctest: -ELLIPSIS\n    0.33...\n    """\n'
        "import doctest\ndoctest.testmod(optionflags=doctest.ELLIPSIS)"
    )
    assert run(program).result == (1, 3)


ERRORS = {
    "the message is not all of it": (">>> {}['k']", "KeyError: 'k'. Did you mean: 'j'?", 1),
    "the message is the beginning of it": (">>> {}['k']", "KeyError: 'k", 1),
    "the message is all of it": (">>> {}['k']", "KeyError: 'k'", 0),
    "the name has its module": (
        ">>> import json; json.loads('')",
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        0,
    ),
    "the name lacks its module": (
        ">>> import json; json.loads('')",
        "JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        1,
    ),
    "several lines": (">>> raise ValueError('a\\nb')", "ValueError: a\n    b", 0),
    "only the kind counts": (
        ">>> int('x')  # doctest: +IGNORE_EXCEPTION_DETAIL",
        "x.y.ValueError: any",
        0,
    ),
    "a pattern": (">>> int('x')  # doctest: +ELLIPSIS", "ValueError: invalid ... 'x'", 0),
    "what is printed before does not count": (
        ">>> print(1); 1 / 0",
        "ZeroDivisionError: division by zero",
        0,
    ),
}


@pytest.mark.spec("SANDBOX 5.4")
@pytest.mark.parametrize("what", ERRORS)
def test_an_error_is_compared_as_the_library_does(run: Run, what: str) -> None:
    example, error, failed = ERRORS[what]
    text = f"\n    {example}\n    Traceback (most recent call last):\n      ...\n    {error}\n    "
    program = f"def f():\n    {json.dumps(text)}\nimport doctest\ndoctest.testmod().failed"
    assert run(program).result == failed


def test_true_may_be_written_as_one(run: Run) -> None:
    text = ">>> 1 == 1\n1\n>>> 1 == 2\n0\n>>> 1 == 2\n1\n"
    program = f"def f():\n    {json.dumps(text)}\nimport doctest\ndoctest.testmod()"
    assert run(program).result == (1, 3)


def test_a_remark_behind_a_prompt_is_no_example(run: Run) -> None:
    program = f"def f():\n    {json.dumps('>>> # remark')}\nimport doctest\ndoctest.testmod()"
    assert run(program).result == (0, 0)
