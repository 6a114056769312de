"""Generated programs under the language policy.

Two invariants. Whatever chain of attributes, calls and items the policy lets run never ends at a frame, code
object, cell or a module of the interpreter's. And a generated program without such names prints
under the policy what it prints in plain Python.
"""

from __future__ import annotations

import ast
import json
import random
import sys

import anyio
import pytest
from generated_programs import Writer

from codemode.sandbox import Limits, Sandbox
from codemode.sandbox.language import attributes
from codemode.sandbox.language.table import TABLE
from codemode.sandbox.language.words import words

STARTS = (
    "(lambda: 0)", "(i for i in [1])", "f()", "co()", "ag()", "C", "C()", "C().m", "json", "json.dumps", "re", "str", "'x'", "(1)", "type",
    "tools", "tools.echo", "error", "print", "getattr", "collections.OrderedDict", "functools.partial(len, 'x')", "sys.stdout", "abc.ABC",
    "enum.Enum", "typing.List[int]", "(int | type)", "dataclasses.fields(D)[0]", "logging.getLogger()", "argparse.ArgumentParser()", "object",
    "sys.exc_info()", "caught_trace", "tools.echo.__class__", "asyncio.Queue()", "task", "task.get_loop()", "threading.Thread()", "open('x', 'w')", "pathlib.Path('x')",
    "minidom.parseString('<a/>')", "ElementTree.XMLParser()", "timeit.Timer(len)", "zipfile.ZipFile(io.BytesIO(), 'w')", "contextlib.ExitStack()", "C.p", "string.Formatter()",
    "warnings.catch_warnings(record=True)", "concurrent.futures.Future()", "weakref.ref(C)", "tempfile", "os", "typing.Type", "types.GenericAlias(type, int)", "D.__match_args__",
)  # fmt: skip
#: Names by which attacks go on, and every special name that the policy knows.
NAMES = sorted(
    attributes.INTERNALS
    | attributes.ALWAYS_HOOKED
    | attributes.DEFINABLE
    | set(
        words(
            "__base__ __bases__ __mro__ __subclasses__ __globals__ __builtins__ __code__ __closure__ __self__",
            "__func__  __dict__ __defaults__ __kwdefaults__ __wrapped__ __init_subclass__ __traceback__",
            "__context__ __module__  __args__ __loader__ __spec__ __name__ __doc__ func args fget fset gen real",
            "name value manager root parent  encoder decoder scanner default fields keywords registry _caller",
            "_loop get_coro get_loop implementation  ownerDocument buffer raw stream path _parser __reduce__",
            "__class__",
        )
    )
)
PRELUDE = """
import abc, argparse, asyncio, collections, concurrent.futures, contextlib, dataclasses, enum, functools, io, json, logging
import operator, os, pathlib, re, string, sys, tempfile, threading, timeit, types, typing, warnings, weakref, zipfile
from xml.dom import minidom
from xml.etree import ElementTree
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
    @property
    def p(self):
        self.zz = 1
        return self
    def put(self, v):
        self.zz = v
@dataclasses.dataclass
class D:
    a: int = 1
try:
    (1).nothing
except AttributeError as caught:
    error = caught
    caught_trace = sys.exc_info()[2]
async def find_task():
    return asyncio.current_task()
task = asyncio.run(find_task())
def by_pattern(value, name):
    # Read an attribute by the position of a class pattern.
    kind = dataclasses.make_dataclass("K", [(name, object)], bases=(abc.ABC,))
    kind.register(type(value))
    match value:
        case kind(found):
            return found
    raise LookupError
def by_field(value, name):
    return string.Formatter().get_field("0." + name, (value,), {})[0]
def by_binding(value, name):
    # Run a getter and a method that store into `self` with any object as `self`.
    for run in (C.p.__get__, functools.partialmethod(C.p).__get__, vars(C)["p" + "ut"].__get__):
        try:
            run(value)
        except Exception:
            pass
    is_shared = isinstance(value, (type, types.FunctionType))
    if is_shared and value.__module__ != "__main__" and hasattr(value, "zz"):
        print("REACHED", "a store into", type(value))
    return value
BAD = ("frame", "code", "cell", "ModuleSpec", "SourceFileLoader")
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
        step = draw.randrange(10)
        if step == 0:
            text = f"getattr({text}, {name!r})"
        elif step == 1:
            text = f"{text}()"
        elif step == 2:
            text = f"{text}[0]"
        elif step == 3:
            text = f"{text}.__getattr__({name!r})"
        elif step == 4:
            text = f"operator.attrgetter({name!r})({text})"
        elif step in (5, 6, 7):
            text = f"{('by_pattern', 'by_field', 'by_binding')[step - 5]}({text}, {name!r})"
        else:
            text = f"getattr({text}, {name[:3]!r} + {name[3:]!r})"
    return text


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
async def test_no_generated_chain_reaches_the_inside_of_the_interpreter() -> None:
    draw = random.Random(20)
    async with Sandbox(limits=Limits(wall_s=20)) as sandbox:
        for _ in range(8):
            chains = [chain(draw) for _ in range(200)]
            lines = [f"check({text!r}, lambda: {text})" for text in chains]
            outcome = await sandbox.run(
                PRELUDE + "\n".join(lines) + "\nprint('end')", bindings={"tools.echo": str}
            )
            assert outcome.failure is None, outcome.failure
            assert "REACHED" not in outcome.stdout, outcome.stdout


#: Runs programs in plain Python, in a process of its own: some of them start an event loop.
PLAIN = """
import contextlib, io, json, sys, types, warnings
warnings.simplefilter("ignore")
printed = []
for source in json.load(sys.stdin):
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(source, "program.py", "exec"), vars(main))
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""
PROGRAMS = [Writer(random.Random(seed)).program(14) for seed in range(80)]


def test_generated_programs_hold_every_node_that_the_policy_accepts() -> None:
    held = {type(node).__name__ for source in PROGRAMS for node in ast.walk(ast.parse(source))}
    accepted = {row.node for row in TABLE if row.decision != "refused" and hasattr(ast, row.node)}
    # Other roots, a comment that no parser keeps by itself, and what is newer than the generator.
    elsewhere = {
        "Interactive",
        "Expression",
        "FunctionType",
        "TypeIgnore",
        "TemplateStr",
        "Interpolation",
    }
    assert accepted - held == elsewhere & accepted


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 5.1")
async def test_generated_programs_print_what_they_print_in_plain_python() -> None:
    command = [sys.executable, "-c", PLAIN]
    with anyio.fail_after(120):
        plain = await anyio.run_process(command, input=json.dumps(PROGRAMS).encode())
    async with Sandbox(limits=Limits(wall_s=20)) as sandbox:
        for source, expected in zip(PROGRAMS, json.loads(plain.stdout), strict=True):
            outcome = await sandbox.run(source)
            assert (outcome.failure, outcome.stdout) == (None, expected), source
