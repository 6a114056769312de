"""Roads to the interpreter that were found open once, and honest programs that stand beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language import DeniedError, PolicyRefusal

Run = Callable[[str], Any]

FIELD = """import dataclasses
@dataclasses.dataclass
class Base:
    a: int = dataclasses.field(default=0, init=False, repr=False)
field = dataclasses.fields(Base)[0]
evil = "a,*,b=print(1)"
"""

CLOSED = {
    "match arguments from fields": "import dataclasses\n@dataclasses.dataclass\nclass A:\n    gi_frame: int",
    "match arguments from a named tuple": "import typing\nclass A(typing.NamedTuple):\n    cr_code: int",
    "match arguments from make_dataclass": "import dataclasses\ndataclasses.make_dataclass('A', ['f_builtins'])",
    "match arguments by capture": "class A:\n    match ('a',):\n        case __match_args__: pass",
    "match arguments by import": "class A:\n    from functools import WRAPPER_UPDATES as __match_args__",
    "match arguments by def": "class A:\n    def __match_args__(): pass",
    "a metaclass called": "import abc\nabc.ABCMeta('A', (), {'__del__': 1})",
    "an enum's metaclass called": "import enum\nenum.EnumMeta('A', (enum.Enum,), {'__del__': 1})",
    "a metaclass as a base": "import abc\nclass M(abc.ABCMeta): pass",
    "type behind a union": "(type | int).__args__[0]('A', (), {'__del__': 1})",
    "type behind a reflected union": "(int | type).__args__[1]('A', (), {'__del__': 1})",
    "type behind an alias": "type[int].__origin__('A', (), {'__del__': 1})",
    "type behind typing.Type": "import typing\ntyping.Type[int].__origin__('A', (), {'__del__': 1})",
    "type behind get_origin": "import typing\ntyping.get_origin(typing.Type[int])('A', (), {'__del__': 1})",
    "type behind a method": "object.__or__.__objclass__('A', (), {'__del__': 1})",
    "the classes above a library's": "import json\njson.JSONEncoder.__mro__",
    "the classes below object": "().__class__.__base__.__subclasses__()",
    "the classes below object, by text": "getattr(object, '__subclasses__')()",
    "the classes above a class that is no name of a module": "import html.parser\nclass P(html.parser.HTMLParser): pass\nP.__mro__",
    "mro of a library's class": "import json\njson.JSONEncoder.mro()",
    "mro of a class in a pattern": "class A:\n    __match_args__ = ('mro',)",
    "mro by super": "class A:\n    @classmethod\n    def f(cls): return super().mro()\nA.f()",
    "mro in a format string": "class A: pass\n'{0.mro}'.format(A)",
    "classes above by attrgetter": "import operator\noperator.attrgetter('__mro__')(int)",
    "classes above, in place": "class A: pass\nA.__bases__ += (object,)",
    "classes above, set": "class A: pass\nA.__bases__ = (object,)",
    "frames by a class of tracebacks": "import types\ntypes.TracebackType.tb_frame",
    "an argument spec of a guard": "import inspect\ninspect.getfullargspec(getattr).defaults[0].__self__",
    "annotations of the library's": "import inspect, json\ninspect.get_annotations(json.JSONDecoder)",
    "annotations run as code": "import inspect\ndef f(a: '1'): pass\ninspect.get_annotations(f, eval_str=True)",
    "a handler of encoding errors": "import codecs\ncodecs.register_error('strict', print)",
    "an event loop of its own": "import asyncio\nclass L(asyncio.AbstractEventLoop): pass",
    "a library's __getattr__": "import codecs\ncodecs.lookup('utf-8').streamreader((i for i in [])).__getattr__('gi_frame')",
    "__getattr__ of an alias": "import typing\ntyping.List[int].__getattr__('mro')",
    "a base that passes attributes on": "import urllib.error\nclass E(urllib.error.HTTPError): pass",
    "format through another object": "import codecs\ncodecs.lookup('utf-8').streamreader('{0.__class__}').format(1)",
    "format through a proxy": "import weakref\nclass S(str): pass\ns = S('{0.__class__}')\nweakref.proxy(s).format(1)",
    "defaults of a library function": "import json\njson.dumps.__kwdefaults__",
    "defaults of vars": "vars.__defaults__",
    "hints of the interpreter's": "import typing, json\ntyping.get_type_hints(json.JSONDecoder)",
    "hints by a special name": "import typing\ndef f(x: '__builtins__'): ...\ntyping.get_type_hints(f)",
    "a field's name by a namespace": FIELD
    + "import argparse\nargparse.Namespace.__init__(field, name=evil)",
    "a field's name by an action": FIELD
    + "import argparse\nargparse.ArgumentParser().add_argument('--x', dest='name')(None, field, evil)",
    "a field's name by a generated __init__": FIELD
    + "@dataclasses.dataclass\nclass S:\n    name: str\nS.__init__(field, evil)",
    "a field's name by a frozen __init__": FIELD
    + "@dataclasses.dataclass(frozen=True)\nclass S:\n    name: str\nS.__init__(field, evil)",
    "a field's name by a library's __init__": FIELD
    + "import logging\nlogging.Filter.__init__(field, evil)",
    "private attributes by a parser of the program's": (
        "import argparse, logging\nclass Fake:\n"
        "    def parse_known_args(self, args, namespace=None): return logging.Formatter(), []\n"
        "p = argparse.ArgumentParser()\ns = p.add_subparsers()\ns.add_parser('x')\n"
        "s.choices['x'] = Fake()\np.parse_args(['x'])._style"
    ),
    "a class renamed into the program": "import argparse, json\nargparse.Namespace.__init__(json.JSONEncoder, **{'__module__': '__main__'})",
    "a module by object.__setattr__": "import math\nobject.__setattr__(math, 'pi', 3)",
    "a module by copy": "import copy, math\nclass C:\n    def __reduce__(self): return (lambda: math, (), {'pi': 3})\ncopy.copy(C())",
    "a module by a cached property": "import functools, math\np = functools.cached_property(lambda s: 3)\nclass A: pass\np.__set_name__(A, 'pi')\np.__get__(math)",
    "state of an error": "class A(Exception): pass\nA().__setstate__({'__class__': A})",
    "an enum of a module's names": "import enum\nclass E(enum.Enum): pass\nE._convert_('X', 'os', lambda name: name == 'system')",
    "a path's own module": "import pathlib, sys\nclass P(pathlib.PurePosixPath): pass\np = P('a')\np.parser if sys.version_info >= (3, 13) else p._flavour",
    "the property of enums": "import enum\nclass P(enum.property): pass",
    "a logging format": "import logging\nlogging.Formatter('{msg.__class__}', style='{', validate=False)",
}


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.parametrize("road", CLOSED.values(), ids=CLOSED)
def test_the_road_is_closed(run: Run, road: str) -> None:
    with pytest.raises((DeniedError, PolicyRefusal)):
        run(road)


def test_positions_of_a_class_pattern_do_not_read_objects_of_the_library(run: Run) -> None:
    ran = run(
        "from abc import ABC\n"
        "class Peek(ABC):\n"
        "    __match_args__ = ('args', 'func')\n"
        "    @classmethod\n"
        "    def __subclasshook__(cls, other): return True\n"
        "import functools\n"
        "match functools.partial(int):\n"
        "    case Peek(found): 'read'\n"
        "    case _: found = 'not read'\n"
        "found"
    )
    assert ran.result == "not read"


HONEST = [
    (
        "import ast\nfrom collections import namedtuple\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass A:\n    x: int\n    obj: object\n"
        "N = namedtuple('N', 'a b')\n"
        "def kind(value):\n"
        "    match value:\n"
        "        case A(x, A(1, y)): return ['nested', x, y]\n"
        "        case A(x, y): return ['own', x, y]\n"
        "        case N(a, b): return ['tuple', a, b]\n"
        "        case ast.Name(name): return ['tree', name]\n"
        "        case int(n) | float(n): return ['number', n]\n"
        "[kind(v) for v in (A(3, A(1, 2)), A(1, 2), N(1, 2), ast.Name('x'), 1.5)]",
        [
            ["nested", 3, 2],
            ["own", 1, 2],
            ["tuple", 1, 2],
            ["tree", "x"],
            ["number", 1.5],
        ],
    ),
    (
        "import abc, enum\n"
        "class A(metaclass=abc.ABCMeta):\n    @abc.abstractmethod\n    def f(self): ...\n"
        "class C(enum.Enum):\n    a = 1\n"
        "[isinstance(A, abc.ABCMeta), isinstance(C, enum.EnumMeta), isinstance(int, abc.ABCMeta),"
        " issubclass(abc.ABCMeta, type), abc.ABCMeta('B', (A,), {'f': 1})().f]",
        [True, True, False, True, 1],
    ),
    (
        "import typing\n"
        "[str(type | None), str(type[int]), isinstance(int, type | None),"
        " typing.get_origin(typing.Type[int]) is type, typing.get_origin(type[int]) is type]",
        ["type | None", "type[int]", True, True, True],
    ),
    (
        "def f(a, b=2, *, c=3): ...\n[f.__defaults__, f.__kwdefaults__]",
        [(2,), {"c": 3}],
    ),
    (
        "class A:\n    def __getattr__(self, name): return name\n"
        "class B(A):\n    def __getattr__(self, name): return super().__getattr__(name) + '!'\n"
        "[B().x, B().__getattr__('y'), A.__getattr__(B(), 'z')]",
        ["x!", "y!", "z"],
    ),
    (
        "import argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('-v', action='count', default=0)\np.add_argument('--tag', action='append')\n"
        "p.set_defaults(mode='m')\nn = p.parse_args(['-vv', '--tag', 'a', '--tag', 'b'])\n"
        "[n.v, n.tag, n.mode]",
        [2, ["a", "b"], "m"],
    ),
    (
        "from dataclasses import dataclass, replace\n@dataclass(frozen=True, slots=True)\nclass P:\n"
        "    x: int\n    y: int = 2\n@dataclass\nclass Q(Exception):\n    parser: str = 'p'\n"
        "[str(replace(P(1), y=5)), Q().parser]",
        ["P(x=1, y=5)", "p"],
    ),
    (
        "import functools\nclass A:\n    @functools.cached_property\n    def x(self): return 3\nA().x",
        3,
    ),
]


@pytest.mark.parametrize(("source", "expected"), HONEST)
def test_honest_programs_beside_the_roads_run(run: Run, source: str, expected: Any) -> None:
    assert run(source).result == expected


@pytest.mark.spec("SANDBOX 5.6")
def test_a_withheld_function_says_what_to_use_instead(run: Run) -> None:
    with pytest.raises(ImportError, match=r"'system' from 'os': .*; use the tools"):
        run("from os import system")
    with pytest.raises(DeniedError, match="use the tools"):
        run("import os\nos.fork()")
