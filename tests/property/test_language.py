"""Generated programs: what the policy accepts reaches nothing forbidden, and runs as in plain Python.

Programs are grammars of attribute walks, calls, class and pattern tricks over every object that a
program can lay hands on. The invariant is on values: no frame, code object, module, real `type` or
dict of builtins ever comes out.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemode.sandbox.language import (
    PolicyRefusal,
    Views,
    build_views,
    compile_program,
    make_globals,
)
from codemode.sandbox.language.attributes import DEFINABLE, INTERNALS
from codemode.sandbox.language.hardening import soften

_image: dict[str, Views] = {}
FORBIDDEN_TYPES = (FrameType, CodeType, ModuleType, TracebackType)

PRELUDE = """
import json, random, functools, operator, string, dataclasses, enum, collections, typing, types, contextlib
class Own:
    _data = 1
    def __init__(self): self.x = 1
    def put(self, v): self.x = v
def func(a, b=1): return a
@dataclasses.dataclass
class Data:
    a: int = 0
class Color(enum.Enum):
    RED = 1
gen = (i for i in [1])
async def co(): return 1
@contextlib.contextmanager
def manager(): yield 1
try: 1 / 0
except Exception as caught: error = caught
"""

NAMES_TEXT = (
    "json random functools operator string dataclasses enum collections typing types contextlib Own"
    " func Data Color gen co manager error int str type object super getattr print len __import__"
    " Own() Data() manager() 'a' () [] {} 1 func.put Color.RED dataclasses.fields(Data)[0]"
    " functools.partial(func) functools.lru_cache(func) property(func) typing.List[int] str.format"
)
MORE_TEXT = (
    "__class__ __dict__ __globals__ __code__ __mro__ __base__ __bases__ __subclasses__ __self__"
    " __func__ __wrapped__ __closure__ __builtins__ __module__ __name__ __loader__ __spec__ _os"
    " _sys _data x put a real format format_map obj args func gen name __traceback__ __init__"
    " __getattribute__ __reduce_ex__ __annotations__ __members__ decoder codecs sys"
)
NAMES = NAMES_TEXT.split(" ")
ATTRIBUTES = sorted(INTERNALS | DEFINABLE | set(MORE_TEXT.split()))

attribute = st.sampled_from(ATTRIBUTES)


def _steps(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    quoted = attribute.map(lambda name: f"'{name[:2]}' + '{name[2:]}'")
    return st.one_of(
        st.tuples(inner, attribute).map(lambda pair: f"{pair[0]}.{pair[1]}"),
        st.tuples(inner, quoted).map(lambda pair: f"getattr({pair[0]}, {pair[1]})"),
        st.tuples(quoted, inner).map(lambda pair: f"operator.attrgetter({pair[0]})({pair[1]})"),
        st.tuples(quoted, inner).map(lambda pair: f"operator.methodcaller({pair[0]})({pair[1]})"),
        st.tuples(attribute, inner).map(lambda pair: f"'{{0.{pair[0]}}}'.format({pair[1]})"),
        inner.map(lambda value: f"type({value})"),
        inner.map(lambda value: f"vars({value})"),
        inner.map(lambda value: f"({value})()"),
        inner.map(lambda value: f"({value})(Own)"),
        inner.map(lambda value: f"list({value})[0]"),
        inner.map(lambda value: f"({value}, type)[0]"),
    )


expressions = st.recursive(st.sampled_from(NAMES), _steps, max_leaves=6)


@pytest.fixture(scope="module", autouse=True)
def hardened() -> Iterator[None]:
    """Make the views; what they harden in this process is put back afterwards."""
    _image["views"] = build_views()
    yield
    soften()


def _items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]  # of any program
    return list(value) if isinstance(value, tuple | list) else []  # pyright: ignore[reportUnknownArgumentType]  # of any program


def _is_forbidden(value: Any) -> bool:
    return value is type or value is vars(builtins) or isinstance(value, FORBIDDEN_TYPES)


def _run(source: str) -> tuple[dict[str, Any], BaseException | None]:
    """The namespace that an accepted program leaves, and how it ended."""
    main, modules = sys.modules["__main__"], dict(sys.modules)
    namespace = make_globals(_image["views"], print_=lambda *_, **__: None)
    try:
        compile_program(source, foreign_names=_image["views"].foreign_names).start(namespace)
    except Exception as error:  # noqa: BLE001  # a program may raise anything
        return namespace, error
    finally:
        sys.modules["__main__"] = main
        assert set(sys.modules) >= set(modules)
    return namespace, None


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.filterwarnings("ignore:coroutine")
@settings(max_examples=200, deadline=None)
@given(expression=expressions)
def test_no_accepted_walk_reaches_a_forbidden_object(expression: str) -> None:
    try:
        namespace, _ = _run(f"{PRELUDE}\nreached = [{expression}]\n")
    except PolicyRefusal:
        return
    for value in namespace.get("reached", []):
        assert not _is_forbidden(value), expression
        for item in _items(value):
            assert not _is_forbidden(item), expression


@pytest.mark.spec("SANDBOX 6.5")
@pytest.mark.filterwarnings("ignore:coroutine")
@settings(max_examples=100, deadline=None)
@given(target=expressions, name=attribute)
def test_no_accepted_store_changes_a_thing_of_the_library(target: str, name: str) -> None:
    watched = (dict(vars(dict)), dict(vars(str)), dict(sys.modules["json"].__dict__))
    try:
        _run(f"{PRELUDE}\n{target}.{name} = 1\n")
    except PolicyRefusal:
        return
    assert watched == (dict(vars(dict)), dict(vars(str)), dict(sys.modules["json"].__dict__))


BINDERS = [
    "{0} = 1",
    "({0} := 1)",
    "for {0} in [1]: pass",
    "def {0}(): pass",
    "def f({0}): pass",
    "def f(*, {0}=1): pass",
    "lambda *{0}: 1",
    "class {0}: pass",
    "import json as {0}",
    "from json import dumps as {0}",
    "with open('x') as {0}: pass",
    "try: pass\nexcept ValueError as {0}: pass",
    "match 1:\n case {0}: pass",
    "match [1]:\n case [*{0}]: pass",
    "match {{}}:\n case {{**{0}}}: pass",
    "[1 for {0} in []]",
    "def f():\n global {0}\n {0} = 1",
    "async def f():\n async for {0} in x: pass",
    "del {0}",
    "{0}: int = 1",
    "{0} += 1",
]


@pytest.mark.spec("SANDBOX 6.4", "SANDBOX 6.7")
@given(
    binder=st.sampled_from(BINDERS),
    name=st.sampled_from(["__builtins__", "__loader__", "__del__", "__class_getitem2__"]),
)
def test_no_syntax_binds_a_special_name_of_the_interpreter(binder: str, name: str) -> None:
    with pytest.raises(PolicyRefusal):
        compile_program(binder.format(name))


def _programs() -> st.SearchStrategy[str]:
    names = st.sampled_from(["a", "b", "_c", "items"])
    numbers = st.integers(-9, 9).map(lambda number: f"({number})")
    values = st.recursive(
        st.one_of(names, numbers),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["+", "-", "*", "==", "<", "and", "or"]), inner)
            .map(" ".join)
            .map("({})".format),
            st.tuples(inner, inner).map(lambda pair: f"[{pair[0]}, {pair[1]}]"),
            inner.map(lambda value: f"o.m({value})"),
            inner.map(lambda value: f"'{{}}|{{x}}'.format({value}, x=1)"),
            names.map(lambda name: f"f'{{{name}!r:>4}}'"),
            inner.map(lambda value: f"getattr(o, '_v', {value})"),
            st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
            inner.map(lambda value: f"[i for i in [{value}] if i]"),
        ),
        max_leaves=8,
    )
    statements = st.one_of(
        st.tuples(names, values).map(lambda pair: f"{pair[0]} = {pair[1]}"),
        st.tuples(names, values).map(lambda pair: f"{pair[0]} += {pair[1]}"),
        values.map(lambda value: f"o._v = {value}"),
        values.map(lambda value: f"d[{value!r}] = d.get({value!r}, 0) + 1"),
        values.map(lambda value: f"print({value})"),
        values.map(lambda value: f"o.n += len(repr({value}))"),
    )
    return st.lists(statements, min_size=1, max_size=8).map("\n".join)


DIFFERENTIAL_PRELUDE = """
class O:
    def __init__(self):
        self.n = 0
        self._v = 0
    def m(self, x):
        self.n += 1
        return (x, self._v)
o = O()
d = {}
a = b = _c = 1
items = [1, 2]
"""


@pytest.mark.spec("SANDBOX 5.1")
@settings(max_examples=150, deadline=None)
@given(program=_programs())
def test_an_accepted_program_prints_and_fails_as_in_plain_python(program: str) -> None:
    source = f"{DIFFERENTIAL_PRELUDE}\n{program}\n"
    ast.parse(source)
    ours: list[str] = []
    plain: list[str] = []

    def printer(into: list[str]) -> Any:
        def note(*values: object) -> None:
            into.append(" ".join(map(str, values)))

        return note

    main = sys.modules["__main__"]
    namespace = make_globals(_image["views"], print_=printer(ours))
    failed: str | None = None
    expected: str | None = None
    try:
        compile_program(source, foreign_names=_image["views"].foreign_names).start(namespace)
    except Exception as error:  # noqa: BLE001  # compared below
        failed = f"{type(error).__name__}: {error}"
    finally:
        sys.modules["__main__"] = main
    try:
        exec(
            compile(source, "program.py", "exec"), {"__name__": "__main__", "print": printer(plain)}
        )
    except Exception as error:  # noqa: BLE001  # compared below
        expected = f"{type(error).__name__}: {error}"
    assert (ours, failed) == (plain, expected)
