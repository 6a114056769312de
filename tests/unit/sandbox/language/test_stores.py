"""What a program may set attributes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError, PolicyRefusal

Run = Callable[[str], Any]

DENIED = [
    "str.upper = 1",
    "setattr(str, 'upper', 1)",
    "import json\njson.dumps = 1",
    "import json\ndel json.dumps",
    "import json\njson.JSONEncoder.default = 1",
    "import dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\ndataclasses.fields(A)[0].name = 'x'",
    "class A: pass\nA.__dict__['x'] = 1\nsetattr(A(), '__cla' + 'ss__', int)",
    "import urllib.parse\nurllib.parse.ParseResult.__new__.__defaults__ = (1,)",
    "class A(Exception): pass\nsetattr(A(), '__trace' + 'back__', None)",
]


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.3", "SANDBOX 6.5", "SANDBOX 6.6")
@pytest.mark.parametrize("source", DENIED)
def test_what_is_not_the_programs_own_is_not_written_to(run: Run, source: str) -> None:
    with pytest.raises((DeniedError, PolicyRefusal, TypeError)):
        run(source)


GIVES = {
    "class A: pass\na = A()\nsetattr(a, '_data', 5)\na._data": 5,
    "class A: pass\na = A()\na.x = 1\ndel a.x\nhasattr(a, 'x')": False,
    "def f(): f.n += 1\nf.n = 0\nf()\nf.n": 1,
    "class A: k = 1\nA.k += 4\nA.k": 5,
    "from collections import namedtuple\nP = namedtuple('P', 'a b')\nP.__new__.__defaults__ = (5,)\nP.a.__doc__ = 'first'\ntuple(P(1)), P.__new__.__defaults__, P.a.__doc__": (
        (1, 5),
        (5,),
        "first",
    ),
    "import decimal\ndecimal.getcontext().prec = 6\nstr(decimal.Decimal(1) / 3)": "0.333333",
    "import types\nn = types.SimpleNamespace()\nn.x = 1\nn.x": 1,
    "try:\n    raise ValueError('a')\nexcept ValueError as e:\n    e.code = 3\ne2 = ValueError()\ne2.code = 4\ne2.code": 4,
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 6.5")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_what_is_the_programs_own_is_written_to(run: Run, source: str, expected: object) -> None:
    assert run(source).result == expected


FIXED = """
import datetime, decimal, fractions, re, uuid
VALUES = [1, 'a', slice(1), fractions.Fraction(1, 2), decimal.Decimal(1), uuid.UUID(int=1),
          datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2), datetime.timedelta(1),
          datetime.time(1), datetime.timezone.utc, re.compile('a'), re.match('a', 'a')]
NAMES = ['new', 'start', 'numerator', 'real', 'int', 'year', 'days', 'pattern', 'string', 'hour']
said = []
for value in VALUES:
    for name in NAMES:
        try:
            setattr(value, name, 5)
        except (AttributeError, TypeError) as error:
            said.append(f"{type(error).__name__}: {error}")
"""


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 6.5")
def test_a_value_that_cannot_change_says_so_in_its_own_words(run: Run) -> None:
    plain: dict[str, Any] = {}
    exec(FIXED, plain)
    assert len(plain["said"]) == 130
    assert run(FIXED + "said").result == plain["said"]
    with pytest.raises(DeniedError):
        run("import fractions\nfractions.Fraction(1, 2)._numerator = 5")
