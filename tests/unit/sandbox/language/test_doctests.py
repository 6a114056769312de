"""Examples in docstrings run under the policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[str], Any]

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
