"""What programs may ask about their own functions, and what stays closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[str], Any]

SEEN = {
    "a function": (
        "def f(a, b: int = 1, *c, d='x', **e) -> str: pass\nprint(inspect.signature(f))",
        "(a, b: int = 1, *c, d='x', **e) -> str\n",
    ),
    "a class": (
        "class A:\n    def __init__(self, x, y=2): pass\nprint(inspect.signature(A))",
        "(x, y=2)\n",
    ),
    "a wrapped function": (
        "import functools\ndef f(a): pass\n@functools.wraps(f)\ndef g(*x): pass\n"
        "print(inspect.signature(g), inspect.signature(g, follow_wrapped=False))",
        "(a) (*x)\n",
    ),
    "a class whose makers take what is no plain data": (
        "from typing import Any\n"
        "class A:\n    def __init__(self, a: list[int] | None = None, b: tuple[str, ...] = (), *c: Any, d={}): pass\n"
        "class B(A):\n    def __new__(cls, *a, k: dict[str, int] = {}): return object.__new__(cls)\n"
        "class C:\n    def __call__(self, a: list[int] = []) -> None: pass\n"
        "print(inspect.signature(A), inspect.signature(B), inspect.signature(C()))",
        "(a: list[int] | None = None, b: tuple[str, ...] = (), *c: Any, d={})"
        " (*a, k: dict[str, int] = {}) (a: list[int] = []) -> None\n",
    ),
    "a partial of what is no plain data": (
        "import functools\ndef f(a: list[int], b=1): pass\nprint(inspect.signature(functools.partial(f, b=[2])))",
        "(a: list[int], *, b=[2])\n",
    ),
    "plain data of the library": ("print(inspect.signature(len))", "(obj, /)\n"),
    "bound arguments": (
        "def f(a, b=2): pass\nb = inspect.signature(f).bind(1)\nb.apply_defaults()\n"
        "print(b.arguments)",
        "{'a': 1, 'b': 2}\n",
    ),
    "members": (
        "class A:\n    x = 1\n    def m(self): pass\n"
        "print(inspect.getmembers(A, inspect.isfunction)[0][0], [n for n, _ in inspect.getmembers(A()) if n[0] != '_'])",
        "m ['m', 'x']\n",
    ),
    "kinds": (
        "async def f(): pass\nprint(inspect.iscoroutinefunction(f), inspect.isclass(int), inspect.ismodule(inspect))",
        "True True True\n",
    ),
    "full argument spec": (
        "def f(a, b: int = 1, *c, d, e='x', **k) -> str: pass\nclass A:\n    def __init__(self, x=2): pass\n"
        "    def m(self, y): pass\nspec = inspect.getfullargspec(f)\nprint(*spec)\n"
        "print(inspect.getfullargspec(A).args, inspect.getfullargspec(A().m).args, inspect.getfullargspec(A).defaults)",
        "['a', 'b'] c k (1,) ['d', 'e'] {'e': 'x'} {'return': <class 'str'>, 'b': <class 'int'>}\n"
        "['self', 'x'] ['self', 'y'] (2,)\n",
    ),
    "what is running": (
        "def g(): yield\nx = g()\nprint(inspect.getgeneratorstate(x))\nnext(x)\n"
        "print(inspect.getgeneratorstate(x) == inspect.GEN_SUSPENDED, inspect.isframe(x))",
        "GEN_CREATED\nTrue False\n",
    ),
    "annotations and lineage": (
        "class A:\n    x: int\nclass B(A): pass\n"
        "print(inspect.get_annotations(A), [k.__name__ for k in inspect.getmro(B)])",
        "{'x': <class 'int'>} ['B', 'A', 'object']\n",
    ),
    "a module by name": (
        "import importlib\nprint(importlib.import_module('os.path').join('a', 'b'))",
        "a/b\n",
    ),
}


@pytest.mark.spec("SANDBOX 5.4")
@pytest.mark.parametrize("name", SEEN)
def test_it_is_seen(run: Run, name: str) -> None:
    source, printed = SEEN[name]
    assert run(f"import inspect\n{source}").stdout == printed


CLOSED = {
    "a foreign function with an object as a default": "import difflib\ninspect.signature(difflib.ndiff)",
    "the same, behind a function of the program": (
        "import functools\ndef f(): pass\nimport difflib\ninspect.signature(functools.wraps(difflib.ndiff)(f))"
    ),
    "annotations that run": "def f(a: 'print(1)'): pass\ninspect.signature(f, eval_str=True)",
    "a list that the library keeps": "import copy\ninspect.signature(copy.deepcopy)",
    "frames": "inspect.currentframe()",
    "what the library's functions take": "import difflib\ninspect.getfullargspec(difflib.ndiff)",
    "the classes above the library's": "import json\ninspect.getmro(json.JSONEncoder)",
}


@pytest.mark.spec("SANDBOX 6.2")
def test_source_lines_are_the_programs_own(run: Run) -> None:
    with pytest.raises(OSError, match="could not get source"):
        run("import inspect, json\ninspect.getsourcelines(json.dumps)")


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.parametrize("name", sorted(CLOSED))
def test_it_stays_closed(run: Run, name: str) -> None:
    with pytest.raises(AttributeError, match="refused"):
        run(f"import inspect\n{CLOSED[name]}")


@pytest.mark.spec("SANDBOX 6.6")
@pytest.mark.parametrize("name", ["ctypes", "_io", "nowhere", "importlib.machinery"])
def test_import_by_name_gives_what_import_gives(run: Run, name: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        run(f"import importlib\nimportlib.import_module({name!r})")
