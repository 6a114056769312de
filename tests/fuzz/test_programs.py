"""Generated programs under the language policy.

Two invariants. Whatever chain of attributes, calls and items the policy lets run never ends at a frame, code
object, traceback, cell or a module of the interpreter's. And a generated program without such names prints
under the policy what it prints in plain Python.
"""

from __future__ import annotations

import io
import random
from contextlib import redirect_stdout

import pytest

from codemode.sandbox import Limits, Sandbox

pytestmark = pytest.mark.anyio

STARTS = (
    "(lambda: 0)", "(i for i in [1])", "f()", "co()", "ag()", "C", "C()", "C().m", "json", "json.dumps", "re", "str", "'x'", "(1)", "type",
    "tools", "tools.echo", "error", "print", "getattr", "collections.OrderedDict", "functools.partial(len, 'x')", "sys.stdout", "abc.ABC",
    "enum.Enum", "typing.List[int]", "(int | type)", "dataclasses.fields(D)[0]", "logging.getLogger()", "argparse.ArgumentParser()", "object",
)  # fmt: skip
NAMES = [
    "gi_frame",
    "gi_code",
    "cr_frame",
    "cr_code",
    "cr_await",
    "ag_frame",
    "ag_code",
    "f_back",
    "f_globals",
    "f_builtins",
    "f_locals",
    "f_code",
    "tb_frame",
    "tb_next",
    "co_consts",
    "mro",
    "__class__",
    "__base__",
    "__bases__",
    "__mro__",
    "__subclasses__",
    "__globals__",
    "__builtins__",
    "__code__",
    "__closure__",
    "__self__",
    "__func__",
    "__dict__",
    "__init__",
    "__defaults__",
    "__kwdefaults__",
    "__wrapped__",
    "__get__",
    "__getattr__",
    "__getattribute__",
    "__reduce_ex__",
    "__init_subclass__",
    "__traceback__",
    "__context__",
    "__module__",
    "__args__",
    "__origin__",
    "__objclass__",
    "__new__",
    "__loader__",
    "__spec__",
    "__name__",
    "__doc__",
    "__call__",
    "with_traceback",
    "obj",
    "format",
    "func",
    "args",
    "fget",
    "gen",
    "real",
    "name",
    "value",
    "manager",
    "root",
    "parent",
    "encoder",
    "decoder",
    "scanner",
    "default",
    "fields",
    "keywords",
    "registry",
    "_caller",
    "_loop",
]
PRELUDE = """
import abc, argparse, collections, dataclasses, enum, functools, json, logging, re, sys, typing
def f():
    yield 1
async def co():
    pass
async def ag():
    yield 1
class C:
    x = 1
    def m(self):
        return self
@dataclasses.dataclass
class D:
    a: int = 1
try:
    (1).nothing
except AttributeError as caught:
    error = caught
BAD = ("frame", "code", "traceback", "cell", "ModuleSpec", "SourceFileLoader")
def check(text, run):
    try:
        value = run()
    except Exception:
        return
    name = type(value).__name__
    if name in BAD or (name == "module" and "from '" in repr(value)):
        print("REACHED", name, text)
"""


def chain(draw: random.Random) -> str:
    text = draw.choice(STARTS)
    for _ in range(draw.randint(1, 4)):
        name = draw.choice(NAMES)
        step = draw.randrange(6)
        if step == 0:
            text = f"getattr({text}, {name!r})"
        elif step == 1:
            text = f"{text}()"
        elif step == 2:
            text = f"{text}[0]"
        elif step == 3:
            text = f"{text}.__getattr__({name!r})"
        else:
            text = f"getattr({text}, {name[:3]!r} + {name[3:]!r})"
    return text


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
async def test_no_generated_chain_reaches_the_inside_of_the_interpreter() -> None:
    draw = random.Random(20)
    async with Sandbox(limits=Limits(wall_s=20)) as sandbox:
        for _ in range(6):
            chains = [chain(draw) for _ in range(150)]
            lines = [f"check({text!r}, lambda: {text})" for text in chains]
            outcome = await sandbox.run(
                PRELUDE + "\n".join(lines) + "\nprint('end')", bindings={"tools.echo": str}
            )
            assert outcome.failure is None, outcome.failure
            assert "REACHED" not in outcome.stdout, outcome.stdout


def number(draw: random.Random, depth: int) -> str:
    """An expression over the names of `PLAIN`, which always ends."""
    if depth == 0:
        return draw.choice(("a", "b", "c[1]", "d['k']", "o.x", "len(c)", str(draw.randrange(10))))
    left, right = number(draw, depth - 1), number(draw, depth - 1)
    return draw.choice(
        (
            f"({left} + {right})", f"({left} * {right} % 1000)", f"({left} if {right} > 3 else {right})", f"max({left}, {right})",
            f"sum(i * {left} for i in range(4))", f"(lambda z: z + {left})({right})", f"(q := {left}) - q + {right}", f"o.add({left})",
            f"int(format({left}, 'd'))", f"(c[-1] or {right})", f"dict(k={left})['k']", f"[*c, {left}][-1]", f"next(iter([{right}]))",
        )
    )  # fmt: skip


PLAIN = """
a, b, c, d = 1, 2, [3, 4, 5], {'k': 6}
class O:
    def __init__(self):
        self.x = 7
        self._y = 8
    def add(self, v):
        self.x += v
        self._y ^= v
        return self._y
o = O()
"""


def statement(draw: random.Random) -> str:
    value = number(draw, draw.randrange(3))
    return draw.choice(
        (
            f"a = {value}", f"b += {value} % 100", f"c[1] = {value}", f"d['k'] += {value} % 10", f"o.x = {value}", f"c.append({value} % 7)",
            f"for i in range(3):\n    a += i * ({value} % 5)", f"if {value} % 2:\n    b = a\nelse:\n    a = b",
            f"try:\n    a = {value} // (b % 2)\nexcept ZeroDivisionError as e:\n    print(type(e).__name__, e)",
            f"match [a % 3, {value}]:\n    case [0, x]:\n        b = x\n    case [_, *rest]:\n        b = len(rest)",
            f"a, *b_ = [{value}, 2, 3]", f"print(f'{{a!r:>8}}', {value})", "a %= 10_000", "b %= 10_000",
        )
    )  # fmt: skip


@pytest.mark.spec("SANDBOX 5.1")
async def test_generated_programs_print_what_they_print_in_plain_python() -> None:
    draw = random.Random(5)
    async with Sandbox(limits=Limits(wall_s=20)) as sandbox:
        for _ in range(40):
            body = [statement(draw) for _ in range(25)]
            source = PLAIN + "\n".join(body) + "\nprint(a, b, c, d, o.x, o._y)\n"
            expected = io.StringIO()
            with redirect_stdout(expected):
                exec(compile(source, "program.py", "exec"), {"__name__": "__main__"})  # ours
            outcome = await sandbox.run(source)
            assert (outcome.failure, outcome.stdout) == (None, expected.getvalue()), source
