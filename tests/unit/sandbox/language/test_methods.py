"""Methods that trust their first parameter cannot be called with anything else."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError, PolicyRefusal, compile_program
from codemode.sandbox.language.methods import MethodTrust, Uses

Run = Callable[[str], Any]

PUT = "class W:\n    def put(self, v): self.name = v\nimport dataclasses\n@dataclasses.dataclass\nclass B:\n    a: int = 0\nf = dataclasses.fields(B)[0]\n"

ROADS = [
    "W.put(f, 'x')",
    "g = W.put\ng(f, 'x')",
    "getattr(W, 'p' + 'ut')(f, 'x')",
    "vars(W)['p' + 'ut'](f, 'x')",
    "W.__dict__['p' + 'ut'](f, 'x')",
    "W().put.__func__(f, 'x')",
    "W.put(*[f, 'x'])",
    "W.put(self=f, v='x')",
    "W.put(f, **{'v': 'x'})",
    "import operator\noperator.attrgetter('p' + 'ut')(W)(f, 'x')",
    "import operator\noperator.methodcaller('p' + 'ut', f, 'x')(W)",
    "match W:\n    case object(put=g): g(f, 'x')",
    "list(map(W.put, [f], ['x']))",
    "import string\nstring.Formatter().get_field('0.p' + 'ut', (W,), {})[0](f, 'x')",
    "object.__getattribute__(W, 'p' + 'ut')(f, 'x')",
    "def steal(h):\n    h(f, 'x')\n    return h\nclass V:\n    @steal\n    def put2(self, v): self.name = v",
    "class V:\n    def put3(self, v): self.name = v\n    put3(f, 'x')",
    "class V:\n    @property\n    def p(self): self.name = 'x'\nV.p.fget(f)",
    "class V:\n    @property\n    def p(self): self.name = 'x'\ngetattr(V.p, 'f' + 'get')(f)",
    "def property(h):\n    h(f)\n    return h\nclass V:\n    @property\n    def p(self): self.name = 'x'",
    "class V:\n    def __new__(cls): cls.name = 'x'\nV.__new__(f)",
    "class V:\n    def put4(self):\n        self = f\n        self.name = 'x'\nV().put4()",
    "class V:\n    def put5(self):\n        for self.name in ['x']: pass\nV.put5(f)",
    "class V:\n    def put6(self, v=[0 for f.name in ['x']]): pass",
    "class V:\n    def put7(self): (lambda self: [0 for self.name in ['x']])(f)\nV().put7()",
]


@pytest.mark.spec("SANDBOX 6.5")
@pytest.mark.parametrize("road", ROADS)
def test_no_road_stores_on_an_object_of_the_library(run: Run, road: str) -> None:
    with pytest.raises((DeniedError, PolicyRefusal)):
        run(PUT + road)


@pytest.mark.parametrize(
    ("source", "trusted"),
    [
        ("class A:\n    def f(self, n): self.x = n\nA().f(1)", True),
        ("class A:\n    def f(self, n=1): self.x = n\nA().f(1)", False),
        ("class A:\n    def f(self): self.x = 1\nA.f(1)", False),
        ("class A:\n    def f(self): self.x = 1\n'f'", False),
        ("class A:\n    def f(self): self.x = 1\nA().f", False),
        ("class A:\n    def __f(self): self.x = 1\nA._A__f", False),
        ("class A:\n    @property\n    def f(self): self.x = 1\nA().f", True),
        ("class A:\n    @staticmethod\n    def f(self): self.x = 1", False),
        ("from m import *\nclass A:\n    def f(self): self.x = 1", False),
        ("class A:\n    def f(self): self.x = 1\nA().f(*[])", False),
    ],
)
def test_trust_needs_that_the_plain_function_is_out_of_reach(source: str, trusted: bool) -> None:
    tree = ast.parse(source)
    (owner,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    (method,) = owner.body
    assert isinstance(method, ast.FunctionDef)
    assert MethodTrust(Uses(tree), owner.name).is_bound_only(method) is trusted


def test_a_method_called_through_its_class_on_an_own_object_works(run: Run) -> None:
    source = "class A:\n    def f(self, n): self.x = n\nclass B(A):\n    def f(self, n): A.f(self, n + 1)\nb = B()\nb.f(1)\ngetattr(B, 'f')(b, 2)\nb.x"
    assert run(source).result == 3


def test_functions_that_trust_are_told_apart_by_name_and_line() -> None:
    compiled = compile_program(
        "class A:\n    def f(self): self.x = 1\n    def g(self, n=1): self.x = n\nA().g(1)",
        foreign_names=frozenset(),
    )
    assert compiled.unchecked == frozenset({("f", 2)})


@pytest.mark.parametrize(
    ("method", "body", "trusted"),
    [
        ("submit", "self.x = 1", True),
        ("submit", "self.name = 1", False),
        ("submit", "self.name += 1", False),
        ("submit", "return self._caller", False),
        ("submit", "self.__defaults__ = ()", False),
        ("submit", "self.x = self._own", True),
        ("book", "self.name = 1", True),
        ("__repr__", "self.name = 1", False),
        ("__repr__", "self.x = 1", True),
        ("__subclasshook__", "self.name = 1", False),
        ("_missing_", "self.name = 1", False),
        ("__init__", "self.name = 1", True),
    ],
)
def test_what_the_library_knows_by_name_is_trusted_with_nothing_that_it_knows(
    method: str, body: str, trusted: bool
) -> None:
    known = frozenset({"submit", "name", "_caller"})
    compiled = compile_program(f"class A:\n    def {method}(self): {body}", foreign_names=known)
    assert compiled.unchecked == (frozenset({(method, 2)}) if trusted else frozenset())
