"""Programs of every syntax node that the policy accepts, which end, and print the same each time.

A program is statements over a few names (`a b` integers, `c` a list, `d` a dict, `s` a text, `o` and `p`
objects), each of which says what it raises instead of ending the program. Nothing depends on identity,
time or the order of a set of texts.
"""

from __future__ import annotations

import random
import sys
import textwrap
from typing import Final

NEW: Final = sys.version_info >= (3, 12)

START: Final = """\
from __future__ import annotations
import asyncio, collections, contextlib, dataclasses, enum, functools, itertools, re, types, typing
a, b, c, d, s = 1, 2, [3, 4, 5], {'k': 6, 'l': [7]}, 'text'
class O:
    kind = 'o'
    _count = 0
    def __init__(self, x=7):
        self.x = x
        self._y = 8
        self.__z = 9
    def add(self, v):
        self.x += v
        self._y ^= v
        return self._y
    def __add__(self, other): return O((self.x + getattr(other, 'x', other)) % 1000)
    def __iadd__(self, other):
        self.x = (self.x + other) % 1000
        return self
    def __eq__(self, other): return isinstance(other, O) and self.x == other.x
    def __hash__(self): return hash(self.x)
    def __getitem__(self, key): return (self.x, key)
    def __setitem__(self, key, value): self.last = (key, value)
    def __delitem__(self, key): self.last = key
    def __len__(self): return self.x % 5
    def __call__(self, *args, **kwargs): return len(args) + len(kwargs)
    def __matmul__(self, other): return self.x * 2
    def __contains__(self, item): return item == self.x
    def __repr__(self): return f'O({self.x})'
    def __enter__(self): return self
    def __exit__(self, kind, error, trace): return kind is KeyError
    async def __aenter__(self): return self
    async def __aexit__(self, *error): return False
    def __getattr__(self, name):
        if name.startswith('dyn'): return name
        raise AttributeError(name)
    @property
    def half(self): return self.x // 2
    @half.setter
    def half(self, value): self.x = value * 2
    @half.deleter
    def half(self): self.x = 0
    @classmethod
    def make(cls, v): return cls(v)
    @staticmethod
    def twice(v): return v * 2
    def z(self): return self.__z
@dataclasses.dataclass(order=True)
class P:
    u: int = 1
    v: list = dataclasses.field(default_factory=list, compare=False)
class E(enum.Enum):
    A = 1
    B = 2
def gen(n):
    got = yield n
    yield from range(n)
    return got
async def agen(n):
    for i in range(n):
        yield i
async def later(v):
    await asyncio.sleep(0)
    return v
@contextlib.contextmanager
def tag(v):
    try:
        yield v
    finally:
        print('end', v)
o, p = O(), P()
"""
END: Final = "print(a, b, c, d, s, o, o._y, p)\n"


class Writer:
    """Writes one program."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self._names = 0

    def program(self, statements: int) -> str:
        """A whole program."""
        parts = [START]
        for _ in range(statements):
            body = textwrap.indent(self.statement(2), "    ")
            parts.append(
                f"try:\n{body}\nexcept Exception as error_:\n    print(type(error_).__name__, str(error_)[:80])\n"
                "a, b = (a % 1000, b % 1000) if type(a) is type(b) is int else (1, 2)\nc = c[:9] if type(c) is list else [3]\ns = str(s)[:30]\n"
            )
        return "".join((*parts, END))

    def fresh(self) -> str:
        """A name that nothing else has."""
        self._names += 1
        return f"n{self._names}"

    def number(self, depth: int) -> str:
        """An expression that mostly is an integer."""
        if depth == 0:
            return self._draw.choice(
                ("a", "b", "c[-1]", "d['k']", "o.x", "o._y", "len(s)", "p.u", str(self._draw.randrange(10)), "-1", "o.half", "O.twice(2)", "E.B.value")
            )  # fmt: skip
        x, y, n = self.number(depth - 1), self.number(depth - 1), self.fresh()
        operator = self._draw.choice(("+", "-", "*", "%", "//", "&", "|", "^", "/"))
        compare = self._draw.choice(("<", "<=", ">", ">=", "==", "!="))
        return self._draw.choice(
            (
                f"({x} {operator} {y})", f"({x} ** 2 % 97)", f"(({x}) << 2 >> 1)", f"(~{x})", f"(+{x} - -{y})", f"int(not {x})",
                f"({x} if {y} {compare} {x} else {y})", f"({x} and {y} or 3)", f"int(0 < {x} <= {y})", f"int({x} in c)", f"int({x} not in [{y}])", f"int({x} is None or {y} is not None)",
                f"(lambda {n}, *r, k={y}, **w: {n} + k + len(r) + len(w))({x}, 1, z=2)", f"({n} := {x}) - {n}", f"sum({n} for {n} in c if {n} > {x})",
                f"len([{n} for {n} in range(3) for _ in c if {n}])", f"len({{{n}: 1 for {n} in c}})", f"len({{{n} % 2 for {n} in c}})",
                f"[*c, {x}][-1]", f"(*c, {x})[0]", f"{{**d, 'k': {x}}}['k']", f"len(c[{x} % 3:{y}:1])", f"o.add({x} % 50)", f"o(*c, {x}, **d)",
                f"int(f'{{a}}{{len(c) + {{1: 2}}[1]}}'[:2]) + {x}", "len(f'{s!r:>{b % 9}} {o.x=}')", f"int(format({x}, 'd'))", f"(o + {x}).x", "(o @ o)", f"o[{x}][0]",
                f"O.make({x}).z()", f"functools.reduce(lambda m, {n}: m + {n}, c, {x})", f"next(iter(gen({x} % 4)))", f"getattr(o, 'x', {y})", f"int(hasattr(o, 'dyn{n}'))",
                f"int(E({x} % 3) is E.A)", f"len('{{0.x}}-{{1}}'.format(o, {x}))", f"len('%s %5.1f' % (s, {x}))", f"int(isinstance({x}, (int, P)))",
                f"typing.cast(int, {x})", f"max({x}, {y}, key=lambda {n}: -{n})", "len(o.dynamic)", f"dict(zip('ab', [{x}, {y}]))['b']", f"O({x}).half",
            )
        )  # fmt: skip

    def block(self, depth: int) -> str:
        """One to three statements, indented."""
        count = self._draw.randint(1, 3)
        return textwrap.indent("\n".join(self.statement(depth) for _ in range(count)), "    ")

    def statement(self, depth: int) -> str:
        """A statement; compound ones only as deep as `depth`."""
        x, y, n = self.number(1), self.number(1), self.fresh()
        simple = (
            f"a = {x}", f"b += {x} % 100", f"c[1] = {x}", f"d['k'] = {x}", f"o.x = {x} % 999", f"o.x -= {x} % 9", f"o[{x}] = {y}", f"del o[{x}]", f"p.v.append({x})",
            f"a, *{n} = [{x}, 2, 3]", f"(a, b), [{n}] = ({x}, {y}), [1]", f"{n}: int = {x}\nb = {n}", f"{n} = {x}\ndel {n}", f"assert {x} != {y}, 'same'", "pass",
            f"print(a, {x}, sep='|', end=';\\n')", f"raise ValueError({x}) from None", f"o.half = {x} % 99", "del o.half", f"setattr(o, '_y', {x} % 9)", "o += 1",
            "print(f'{a!r:>8} {o.x:04d} {b + 1 =}')", f"print([*gen({x} % 4)], sorted({{{x}, {y}}}))", f"from collections import Counter as {n}\nprint({n}(s).most_common(1))",
            f"import math as {n}\nprint({n}.gcd(a if a else 1, 4))", f"p = P({x}, [{y}])", f"print(P({x}) < P({y}), P({x}))", f"c.append({x} % 7)", f"s = s[1:] + str({x})", "...",
            f"print(re.sub(r'\\d', lambda {n}: '#', str({x})))", f"@functools.wraps(len)\ndef {n}(q=1): return q\nprint({n}.__name__, {n}())", f"'docs'\nprint({n!r}, {x})",
        )  # fmt: skip
        if depth == 0:
            return self._draw.choice(simple)
        body, other = self.block(depth - 1), self.block(depth - 1)
        deeper = textwrap.indent(body, "    ")
        compound: tuple[str, ...] = (
            f"if {x} % 2:\n{body}\nelif {y}:\n    b = 1\nelse:\n{other}",
            f"for {n} in range(3):\n{body}\n    if {n} == 1: continue\n    if a > 900: break\nelse:\n{other}",
            f"{n} = 3\nwhile {n} > 0:\n    {n} -= 1\n{body}\nelse:\n{other}",
            f"try:\n{body}\nexcept (ZeroDivisionError, KeyError) as {n}:\n    print('caught', {n})\nexcept TypeError:\n{other}\nelse:\n    b = 3\nfinally:\n    a = 4",
            f"try:\n    raise ExceptionGroup('g', [ValueError(3), KeyError(1)])\nexcept* ValueError as {n}:\n    print({n}.exceptions)\nexcept* KeyError:\n{other}",
            f"with tag({x}) as {n}, o:\n{body}",
            f"with o:\n    raise KeyError({x})",
            f"def {n}(u, /, v={x}, *w, k=1, **m):\n    global a, b, c, d, s, o, p\n    '''doc'''\n{body}\n    return u + v + k\nprint({n}(1), {n}(2, 3, k=4, z=5), {n}.__doc__)",
            f"def {n}():\n    v = {x}\n    def inner():\n        nonlocal v\n        v += 1\n        return v\n    return inner(), inner(), v\nprint({n}())",
            f"class {n}(O):\n    '''doc'''\n    t: int = {x}\n    def add(self, v):\n        self.t = v\n        return super().add(v) + len(self.kind)\n    def __str__(self): return 'S'\nprint({n}().add({y} % 50), {n}(), str({n}()), {n}.__doc__)",
            f"async def {n}():\n    global a, b, c, d, s, o, p\n    async with o as q:\n        async for i in agen(3):\n            a = a + i\n    r = [i async for i in agen(3) if await later(i)]\n    {simple[0]}\n    return await later({x}), r\nprint(asyncio.run({n}()))",
            f"match [a % 3, {x}]:\n    case [0, {n}]:\n        b = {n}\n    case [1, 2 | 3 as {n}]:\n        b = 5\n    case [_, *{n}] if b:\n{deeper}\n    case _:\n        pass",
            f"match {{'k': {x}, 'q': o}}:\n    case {{'k': int(q), **rest}} if q > 5:\n        print(q, sorted(rest))\n    case {{'q': O(x=xx)}}:\n        print('O', xx)",
            f"match P({x}):\n    case P(1, [*_]):\n        print('one')\n    case P(u=E.A.value | 2):\n        print('two')\n    case P() as {n}:\n        print({n}.u)",
            f"match {x} % 4:\n    case None | True:\n        print('t')\n    case -1 | 2:\n        print('two')\n    case str() | bytes():\n        print('text')\n    case {n}:\n        print({n})",
            f"{n} = gen({x} % 4)\nprint(next({n}), list({n}))",
            f"def {n}(k):\n    return 1 if k <= 0 else k + {n}(k - 2)\nprint({n}({x} % 20))",
        )  # fmt: skip
        if NEW:
            compound += (
                f"type {n}[T] = list[T]\nprint({n}.__name__)",
                f"class {n}[T: int, *Ts, **Q]:\n    def first(self, v: T) -> T: return v\nprint({n}().first({x}))",
                f"def {n}[T](v: T) -> T:\n    return v\nprint({n}({x}))",
            )
        return self._draw.choice(compound if self._draw.random() < 0.6 else simple)
