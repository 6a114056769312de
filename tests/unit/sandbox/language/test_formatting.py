"""Format strings name attributes; the same names are open in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError
from codemode.sandbox.language.formatting import refused_name

Run = Callable[[str], Any]

DENIED = [
    "'{0.__class__.__mro__}'.format(1)",
    "s = '{0.__class__}'\ns.format(1)",
    "f = str.format\nf('{0.__class__}', 1)",
    "list(map('{0.__class__.__base__}'.format, [1]))",
    "'{x.__class__}'.format_map({'x': 1})",
    "class S(str): pass\nS('{0.__class__}').format(1)",
    "class S(str):\n    def go(self, *a): return super().format(*a)\nS('{0.__class__}').go(1)",
    "'{0:{0.__class__}}'.format(1)",
    "import operator\noperator.methodcaller('format', 1)('{0.__class__}')",
    "import operator\noperator.attrgetter('__class__.__base__')(1)",
    "getattr('{0.__class__}', 'for' + 'mat')(1)",
    "import types\ntypes.MethodType(str.format, '{0.__class__}')(1)",
    "import functools\nfunctools.partial(str.format, '{0.__class__}')(1)",
]


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.parametrize("source", DENIED)
def test_a_format_string_reaches_no_special_attribute(run: Run, source: str) -> None:
    with pytest.raises(DeniedError):
        run(source)


@pytest.mark.spec("SANDBOX 5.1")
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "'{} {:>4} {x!r} {{}} {0.real}'.format(1, 2, x='a')".replace("{} {:>4}", "{0} {1:>4}"),
            "1    2 'a' {} 1",
        ),
        ("class A: pass\na = A()\na.name = 'n'\n'{a.name}'.format(a=a)", "n"),
        ("'{0.__class__.__name__}'.format(1)", "int"),
        ("'{0[k][1]:{w}}|'.format({'k': [1, 2]}, w=3)", "  2|"),
        ("str.format('{}', 1)", "1"),
        ("'{x}'.format_map({'x': 7})", "7"),
        ("import string\nstring.Formatter().format('{0}-{a.real}', 1, a=2)", "1-2"),
        ("class S(str):\n    def format(self): return 'own'\nS('{').format()", "own"),
        ("class T:\n    def format(self, x): return x\nT().format(3)", 3),
    ],
)
def test_ordinary_format_strings_give_what_python_gives(
    run: Run, source: str, expected: object
) -> None:
    assert run(source).result == expected


def test_text_that_is_no_format_string_is_left_to_fail_by_itself(run: Run) -> None:
    assert refused_name("{0.__class__") is None
    with pytest.raises(ValueError, match="expected '}'"):
        run("'{0.__class__'.format(1)")
