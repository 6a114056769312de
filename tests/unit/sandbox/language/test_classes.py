"""How programs make classes."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError
from codemode.sandbox.language.classes import Type
from codemode.sandbox.language.foreign import all_classes

Run = Callable[[str], Any]

DENIED = [
    "class M(type): pass",
    "T = type(type(str))\nT('X', (), {'__getattribute__': 1})",
    "type('X', (), {'__del__': print})",
    "type('X', (), {'__match_args__': ('__class__',)})",
    "type('X', (), {'__annotations__': {'a=print(1)': int}})",
    "import dataclasses\nclass F(dataclasses.Field): pass",
    "import dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 0\nclass F(type(dataclasses.fields(A)[0])): pass",
    "import enum\nclass E(enum.EnumMeta): pass",
    "import abc\nclass E(abc.ABCMeta): pass",
    "class A: pass\nclass B(A, metaclass=lambda *a: 1): pass",
    "class A:\n    def __getattr__(self, n): return lambda *a: (int,)\nclass B(A()): pass",
    "import enum\nenum.Enum('X', {'__del__': print})",
    "import enum\nenum.Enum('X', [('__init_subclass__', 1)])",
    "import enum, dataclasses\nenum.Enum('X', 'A', type=dataclasses.Field)",
]


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.parametrize("source", DENIED)
def test_a_class_that_would_change_the_rules_is_refused(run: Run, source: str) -> None:
    with pytest.raises(DeniedError):
        run(source)


EARLY = "from abc import ABC\nclass Base(ABC): pass\nseen = []\nclass Early:\n    def __set_name__(self, owner, name): {look}\n"

SEEN_EARLY = {
    "the hook of an abstract class": EARLY.format(look="isinstance(int, owner)")
    + "class A(Base):\n    early = Early()\n    @classmethod\n    def __subclasshook__(cls, kind): seen.append(kind); return True\n[kind is type for kind in seen]",
    "the hook in a dict": EARLY.format(look="isinstance(int, owner)")
    + "hook = classmethod(lambda cls, kind: seen.append(kind) or True)\ntype('A', (Base,), {'early': Early(), '__subclasshook__': hook})\n[kind is type for kind in seen]",
    "the hook of a dataclass that is made": "from abc import ABC\nimport dataclasses\nseen = []\nhook = classmethod(lambda cls, kind: seen.append(kind) or True)\nisinstance(int, dataclasses.make_dataclass('A', [], bases=(ABC,), namespace={'__subclasshook__': hook}))\n[kind is type for kind in seen]",
    "the positions of a dataclass with slots": EARLY.format(
        look="seen.append(owner.__match_args__ == ()) if hasattr(owner, '__match_args__') else None"
    )
    + "import dataclasses\n@dataclasses.dataclass(slots=True)\nclass A(Base):\n    obj: int\n    early = Early()\nseen",
    "the positions of one that is made": EARLY.format(
        look="seen.append(owner.__match_args__ == ()) if hasattr(owner, '__match_args__') else None"
    )
    + "import dataclasses\ndataclasses.make_dataclass('A', ['format'], bases=(Base,), namespace={'early': Early()}, slots=True)\nseen[-1:]",
}


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.parametrize("what", SEEN_EARLY)
def test_a_class_is_vetted_before_anybody_sees_it(run: Run, what: str) -> None:
    seen = run(SEEN_EARLY[what]).result
    assert seen
    assert all(seen)


@pytest.mark.spec("SANDBOX 6.2")
def test_a_class_that_is_refused_for_its_positions_is_never_seen(run: Run) -> None:
    program = EARLY.format(look="seen.append(owner)") + (
        "from collections import namedtuple\ntry:\n"
        "    class Peek(namedtuple('Row', 'cr_code'), Base): early = Early()\n"
        "except AttributeError as refused: print(refused)\nprint(seen)"
    )
    refused, seen = run(program).stdout.splitlines()
    assert "'cr_code' in __match_args__ is refused" in refused
    assert seen == "[]"


GIVES = {
    "class A:\n    def __class_getitem__(cls, item): return item\nclass B(A['x'] and A, **{'metaclass': type}): pass\nB.__name__, B.__mro__[1] is A": (
        "B",
        True,
    ),
    "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass G(Generic[T]): pass\nclass H(G[int]): pass\nH.__orig_bases__ == (G[int],), H.__mro__[1] is G, H.__module__": (
        True,
        True,
        "__main__",
    ),
    "from enum import Flag\nclass F(Flag, boundary=None): A = 1\nF.A.value": 1,
    "class A:\n    def f(self): return __class__\nA().f() is A": True,
    "X = type('X', (), {'a': 1, 'f': lambda self: self.a})\nX().f(), X.__name__": (1, "X"),
    "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def f(self): ...\nclass B(A):\n    def f(self): return 1\nB().f()": 1,
    "from abc import ABCMeta\nclass A(metaclass=ABCMeta): pass\nisinstance(A, type)": True,
    "from enum import Enum, IntFlag, auto\nclass C(Enum):\n    A = auto()\n    B = 'b'\nclass P(IntFlag):\n    R = 4\n    W = 2\nC.A.value, C('b').name, (P.R | P.W).value": (
        1,
        "B",
        6,
    ),
    "from enum import Enum\nC = Enum('C', 'A B')\n[m.name for m in C], C.__module__": (
        ["A", "B"],
        "__main__",
    ),
    "from enum import Enum\nclass P(Enum):\n    E = (1, 2)\n    def __init__(self, a, b): self.a = a; self.b = b\n    @property\n    def s(self): return self.a + self.b\nP.E.s": 3,
    "from typing import NamedTuple, TypedDict, Generic, TypeVar, Protocol\nT = TypeVar('T')\nclass N(NamedTuple):\n    a: int\n    b: str = 'z'\nclass D(TypedDict, total=False):\n    k: int\nclass G(Generic[T]):\n    def __init__(self, v: T): self.v = v\nclass Q(Protocol):\n    def go(self) -> int: ...\nN(1).b, D(k=1), G[int](2).v": (
        "z",
        {"k": 1},
        2,
    ),
    "class D(dict):\n    def __missing__(self, k): return k\nclass L(list): pass\nclass S(str): pass\nD()['q'], L([1]) + [2], S('a') + 'b'": (
        "q",
        [1, 2],
        "ab",
    ),
    "class E(ValueError):\n    def __init__(self, code): super().__init__(f'c{code}'); self.code = code\ntry: raise E(4)\nexcept ValueError as e: r = (str(e), e.code)\nr": (
        "c4",
        4,
    ),
    "class A:\n    def f(self): return 'A'\nclass B(A):\n    def f(self): return super(B, self).f() + super().f()\nB().f()": "AA",
    "class V:\n    def __init__(self, x): self.x = x\n    def __add__(self, o): return V(self.x + o.x)\n    __radd__ = __add__\n    def __eq__(self, o): return self.x == o.x\n    __hash__ = None\nV(1) + V(2) == V(3)": True,
    "class P:\n    @property\n    def v(self): return self._v\n    @v.setter\n    def v(self, n): self._v = n\n    @classmethod\n    def make(cls): return cls()\n    @staticmethod\n    def two(): return 2\np = P.make()\np.v = 3\np.v, P.two()": (
        3,
        2,
    ),
    "class T:\n    def __set_name__(self, owner, name): self.name = name\n    def __get__(self, o, t): return self.name\nclass A:\n    field = T()\nA().field": "field",
    "isinstance(int, type), issubclass(type, type), type | None == None | type": (
        True,
        True,
        False,
    ),
}


@pytest.mark.spec("SANDBOX 5.1")
@pytest.mark.parametrize(("source", "expected"), GIVES.items())
def test_classes_work_as_in_python(run: Run, source: str, expected: object) -> None:
    if "type | None ==" in source:
        source = source.replace(", type | None == None | type", ", False")
    assert run(source).result == expected


def test_a_type_looks_like_the_builtin(run: Run) -> None:
    assert run("repr(type), repr(type(int)), type(int) == type, str(type[int])").result == (
        "<class 'type'>",
        "<class 'type'>",
        True,
        "type[int]",
    )


def test_an_heir_of_a_stand_in_that_was_refused_is_no_trap_for_who_looks_at_every_class() -> None:
    with pytest.raises(DeniedError) as refused:
        types.new_class("Heir", (Type,))
    heirs = [one for one in all_classes() if one.__name__ == "Heir"]
    assert heirs, "the traceback of the refusal holds it"
    assert len({*heirs}) == len(heirs)
    del refused
