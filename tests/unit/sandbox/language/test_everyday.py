"""What ordinary programs do and once could not: each runs as in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from codemode.sandbox.language.modules import TABLE, Module, instead

PROGRAMS = {
    "a cache that tells kinds apart": (
        "import functools\n@functools.lru_cache(maxsize=None, typed=True)\ndef f(x, y=0): return type(x).__name__\n"
        "print(f(1), f(1.0), f(1), f(x=True), f.cache_info().hits, f.cache_parameters(), f.__name__)",
        "int float int bool 1 {'maxsize': None, 'typed': True} f\n",
    ),
    "single dispatch on classes": (
        "import functools\n@functools.singledispatch\ndef f(x): return 'any'\n@f.register\ndef _(x: int): return 'int'\n"
        "@f.register(type)\ndef _(x): return 'class'\n"
        "print(f('a'), f(1), f(int), f.dispatch(bool)(1), f.__name__, int in f.registry)",
        "any int class int f True\n",
    ),
    "methods by dir": (
        "class A:\n    x = 1\n    def m(self): pass\n"
        "print([n for n in dir(A()) if callable(getattr(A(), n)) and not n.startswith('__')])",
        "['m']\n",
    ),
    "paths in an archive that is open": (
        "import io, zipfile\nb = io.BytesIO()\nwith zipfile.ZipFile(b, 'w') as z:\n"
        "    with (zipfile.Path(z) / 'a' / 'b.txt').open('w') as f:\n        f.write('hi')\n"
        "z = zipfile.ZipFile(b)\np = zipfile.Path(z)\nprint([x.name for x in p.iterdir()], (p / 'a/b.txt').read_text())\n"
        "del p\nprint(z.read('a/b.txt'))",
        "['a'] hi\nb'hi'\n",
    ),
    "fields in text, behind a module": (
        "from __future__ import annotations\nimport dataclasses, typing as t\n"
        "@dataclasses.dataclass\nclass A:\n    n: t.ClassVar[dict] = {}\n    s: dataclasses.InitVar[int] = 1\n"
        "    _: dataclasses.KW_ONLY\n    k: int = 3\n"
        "print([f.name for f in dataclasses.fields(A)], A(2, k=4))",
        "['k'] A(k=4)\n",
    ),
    "the one locale": (
        "import locale\nlocale.setlocale(locale.LC_NUMERIC, 'C')\ntry:\n    locale.setlocale(locale.LC_ALL, 'xx_XX')\n"
        "except locale.Error as e:\n    print(e, locale.format_string('%d %.1f', (1234, 2.5), grouping=True))",
        "unsupported locale setting 1234 2.5\n",
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
    "attributes of library objects": (
        "import collections, io, logging, time, zipfile\n"
        "s = io.StringIO()\ns.name = 'a.txt'\n"
        "d = collections.defaultdict(list)\nd.default_factory = None\n"
        "f = logging.Formatter()\nf.converter = time.gmtime\n"
        "b = io.BytesIO()\nwith zipfile.ZipFile(b, 'w') as z:\n    z.comment = b'hi'\n"
        "print(s.name, d.default_factory, zipfile.ZipFile(b).comment)",
        "a.txt None b'hi'\n",
    ),
    "a tree rewritten": (
        "import ast\nclass R(ast.NodeTransformer):\n    def visit_Name(self, n):\n"
        "        n.id = n.id.upper()\n        return n\n"
        "print(ast.unparse(R().visit(ast.parse('x = a + 1'))))",
        "X = A + 1\n",
    ),
    "class of a class": (
        "import abc, enum\nclass A(abc.ABC): pass\nclass E(enum.Enum):\n    X = 1\n"
        "print(type(A).__name__, type(A) is abc.ABCMeta, type(E) is enum.EnumMeta, type(int) is type)",
        "ABCMeta True True True\n",
    ),
    "slots that are computed": (
        "class A:\n    __slots__ = tuple('xy') + ('__dict__',)\n"
        "class D:\n    __slots__ = {'a': 'what a is'}\n"
        "a = A()\na.x = a.z = 1\nprint(a.x, A.__slots__, D.__slots__)",
        "1 ('x', 'y', '__dict__') {'a': 'what a is'}\n",
    ),
    "line of an error": (
        "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError as e:\n"
        "    print(e.__traceback__.tb_lineno, len(traceback.extract_tb(e.__traceback__)))",
        "3 1\n",
    ),
    "no such zone": (
        "import zoneinfo\ntry:\n    zoneinfo.ZoneInfo('No/Where')\n"
        "except zoneinfo.ZoneInfoNotFoundError as e:\n    print(e)",
        "'No time zone found with key No/Where'\n",
    ),
    "digest of a file": (
        "import hashlib, io\nprint(hashlib.file_digest(io.BytesIO(b'a'), 'md5').hexdigest()[:6],"
        " len(hashlib.scrypt(b'p', salt=b's', n=2, r=1, p=1)))",
        "0cc175 64\n",
    ),
    "a class for loggers": (
        "import io, logging, logging.handlers\nout = io.StringIO()\nclass L(logging.Logger):\n"
        "    def notice(self, text): self.log(25, text)\nlogging.setLoggerClass(L)\n"
        "log = logging.getLogger('notices')\nlog.setLevel(20)\n"
        "log.addHandler(logging.handlers.MemoryHandler(1, target=logging.StreamHandler(out)))\n"
        "log.notice('told')\nlogging.setLoggerClass(logging.Logger)\nprint(out.getvalue(), end='')",
        "told\n",
    ),
    "names that a module does not list": (
        "import asyncio, calendar, configparser, contextlib, gc, re, types, weakref\n"
        "class O: pass\no = O()\nr = weakref.ref(o)\n"
        "print(calendar.mdays[calendar.February], issubclass(configparser.NoSectionError, configparser.Error),\n"
        "      re.Scanner([('[0-9]+', lambda s, t: int(t)), (' +', None)]).scan('1 22'), weakref.getweakrefcount(o),\n"
        "      asyncio.AbstractEventLoop.__name__, contextlib.AsyncContextDecorator.__name__,\n"
        "      types.TracebackType.__name__, len(gc.get_count()))",
        "28 True ([1, 22], '') 1 AbstractEventLoop AsyncContextDecorator traceback 3\n",
    ),
    "codecs by name": (
        "import codecs, io\nw = codecs.getwriter('utf-16-le')(io.BytesIO())\nw.write('é')\n"
        "print(w.stream.getvalue(), codecs.getreader('utf-8')(io.BytesIO(b'a\\xc3\\xa9')).read(),\n"
        "      repr(codecs.getincrementaldecoder('utf-8')().decode(b'\\xc3')))",
        "b'\\xe9\\x00' aé ''\n",
    ),
    "a document from nothing": (
        "from xml.dom import minidom\nd = minidom.getDOMImplementation().createDocument(None, 'top', None)\n"
        "d.documentElement.appendChild(d.createTextNode('x'))\nprint(d.documentElement.toxml())",
        "<top>x</top>\n",
    ),
    "a machine that says nothing of the host": (
        "import platform\nprint(platform.node(), platform.release() == platform.version() == platform.processor() == '',\n"
        "      platform.platform() == 'Linux-' + platform.machine(), platform.uname()[:2])",
        "sandbox True True ('Linux', 'sandbox')\n",
    ),
    "short representations": (
        "import reprlib\nshort = reprlib.aRepr\nkept, short.maxlist = short.maxlist, 2\n"
        "print(reprlib.repr([1, 2, 3]))\nshort.maxlist = kept",
        "[1, 2, ...]\n",
    ),
    "kinds of files, options and tokens": (
        "import getopt, io, mimetypes, tokenize\nprint(mimetypes.guess_type('a.png'), getopt.getopt(['-a', 'x'], 'a'),\n"
        "      [t.string for t in tokenize.generate_tokens(io.StringIO('a + 1').readline)][:3])",
        "('image/png', None) ([('-a', '')], ['x']) ['a', '+', '1']\n",
    ),
    "a star import takes what the module lists": (
        "import json\nerror = 'mine'\nfrom calendar import *\nfrom json import *\n"
        "print(error, month_name[1], dumps([1]), json.__all__[:2])",
        "mine January [1] ('dump', 'dumps')\n",
    ),
    "annotations that are changed": (
        "import typing\ndef f(x): ...\nf.__annotations__['x'] = 'int'\nprint(typing.get_type_hints(f))",
        "{'x': <class 'int'>}\n",
    ),
    "what a generic class was made of": (
        "from typing import *\nT = TypeVar('T', covariant=True)\nclass Repo(Generic[T]):\n"
        "    def model(self): return get_args(self.__orig_class__)[0]\nclass Users(Repo[int]): pass\n"
        "print(Repo[str]().model(), Users.__orig_bases__[0].__args__, T.__covariant__)",
        "<class 'str'> (<class 'int'>,) True\n",
    ),
    "operators by their special names": (
        "import operator\nprint(operator.__add__(1, 2), operator.__lt__(1, 2), operator.__getitem__([5], 0))",
        "3 True 5\n",
    ),
    "attributes that arguments, dialects and handlers take": (
        "import argparse, csv, io, logging.handlers\np = argparse.ArgumentParser(prog='x')\n"
        "s = p.add_subparsers()\ns.dest = 'cmd'\ns.add_parser('go').add_argument('--n').default = 3\n"
        "p._positionals.title = 'Words'\nd = csv.excel()\nd.delimiter = ';'\nd.lineterminator = '|'\n"
        "out = io.StringIO()\ncsv.writer(out, d).writerow([1, 2])\n"
        "h = logging.handlers.MemoryHandler(1)\nh.capacity = 2\n"
        "print(p.parse_args(['go']), 'Words' in p.format_help(), out.getvalue(), h.capacity)",
        "Namespace(cmd='go', n=3) True 1;2| 2\n",
    ),
    "a visitor along the classes": (
        "class Node: pass\nclass Leaf(Node): pass\nclass V:\n    def visit(self, n):\n"
        "        for kind in type(n).__mro__:\n"
        "            if m := getattr(self, 'visit_' + kind.__name__, None):\n                return m(n)\n"
        "    def visit_Node(self, n): return 'node'\n"
        "print(V().visit(Leaf()), [k.__name__ for k in Node.__subclasses__()], Leaf.mro())",
        "node ['Leaf'] [<class '__main__.Leaf'>, <class '__main__.Node'>, <class 'object'>]\n",
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


REFUSED = {
    "a private attribute of a library object": "import logging\nlogging.Formatter()._style = print",
    "the same, by name": "import logging\nsetattr(logging.Formatter(), '_style', print)",
    "a private attribute read": "import logging\nlogging.Formatter()._style",
    "the dict of a library object": "import logging\nlogging.Formatter().__dict__",
    "a class of the library": "import logging, time\nlogging.Formatter.converter = time.gmtime",
    "special slots that are computed": "class A:\n    __slots__ = ('__cl' + 'ass__',)",
    "special slots, by a subclass of str": (
        "class S(str):\n    def __str__(self): return 'x'\nclass A:\n    __slots__ = [S('__bases__')]"
    ),
    "a private attribute of an argument": "import argparse\nargparse.ArgumentParser().add_argument('--n')._x = 1",
    "a special name set by an argument": (
        "import argparse\np = argparse.ArgumentParser()\na = p.add_argument('--n')\na.dest = '__cl' + 'ass__'\np.parse_args(['--n', 'x'])"
    ),
    "bases of a library's alias": "import typing\ntyping.List[int].__orig_bases__",
    "the names of a module": "import json\nsetattr(json, '__a' + 'll__', ())",
    "the line of no error": "class A: pass\nA().__traceback__.tb_lineno",
}


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.5")
@pytest.mark.parametrize("name", REFUSED)
def test_the_openings_are_no_wider_than_that(run: Callable[[str], Any], name: str) -> None:
    with pytest.raises(AttributeError, match="refused"):
        run(REFUSED[name])


@pytest.mark.spec("SANDBOX 5.6")
@pytest.mark.parametrize("row", [row for row in TABLE if row.withheld], ids=lambda row: row.name)
def test_each_withheld_name_has_something_to_use_instead(row: Module) -> None:
    unanswered = {
        name for name, reason in row.withheld.items() if not instead(row.name, name, reason)
    }
    assert not unanswered
