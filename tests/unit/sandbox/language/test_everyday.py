"""What ordinary programs do and once could not: each runs as in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

PROGRAMS = {
    "methods by dir": (
        "class A:\n    x = 1\n    def m(self): pass\n"
        "print([n for n in dir(A()) if callable(getattr(A(), n)) and not n.startswith('__')])",
        "['m']\n",
    ),
    "platform": ("import platform\nprint(platform.system())", "Linux\n"),
    "pretty XML": (
        "from xml.dom import minidom\nprint(minidom.parseString('<a><b/></a>').documentElement.firstChild.tagName)",
        "b\n",
    ),
    "TOML": ("import tomllib\nprint(tomllib.loads('a = 1')['a'])", "1\n"),
    "collection": ("import gc\nprint(gc.collect() >= 0)", "True\n"),
    "time of a function": (
        "import timeit\nprint(timeit.timeit(lambda: 1, number=3) >= 0)",
        "True\n",
    ),
    "time, repeated": (
        "import timeit\nprint(len(timeit.Timer(lambda: 1).repeat(2, 3)), len(timeit.repeat(int, repeat=2, number=1)))",
        "2 2\n",
    ),
    "traceback by hand": (
        "import traceback\ntry:\n    {}['k']\nexcept KeyError as e:\n"
        "    print(traceback.format_exception(type(e), e, e.__traceback__)[-1], end='')\n"
        "    print(len(traceback.format_tb(tb=e.__traceback__)))",
        "KeyError: 'k'\n1\n",
    ),
    "abstract dataclass with a field named format": (
        "import abc, dataclasses\n@dataclasses.dataclass\nclass E(abc.ABC):\n    name: str\n    format: str = 'csv'\n"
        "match E('a'):\n    case E(n):\n        print(n, E('b'))",
        "a E(name='b', format='csv')\n",
    ),
    "dataclass with a field named format, by position": (
        "import dataclasses\n@dataclasses.dataclass\nclass R:\n    format: str\n    obj: int\n"
        "match R('x', 3):\n    case R(f, o):\n        print(f, o)",
        "x 3\n",
    ),
    "descriptor by hand": (
        "class P(property):\n    def __get__(self, o, t=None):\n        return super().__get__(o, t)\n"
        "class Z:\n    v = P(lambda self: 5)\nprint(Z().v, (lambda s: s).__get__(3)())",
        "5 3\n",
    ),
}


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_runs(run: Callable[[str], Any], name: str) -> None:
    source, printed = PROGRAMS[name]
    assert run(source).stdout == printed


@pytest.mark.spec("SANDBOX 5.6")
def test_text_is_not_timed(run: Callable[[str], Any]) -> None:
    with pytest.raises(AttributeError, match="a function, or a lambda"):
        run("import timeit\ntimeit.timeit('1')")
