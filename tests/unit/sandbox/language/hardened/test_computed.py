"""Names of attributes that library code computes, and dicts that it hands on."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from codemode.sandbox.language import modules
from codemode.sandbox.language.hardened import computed
from codemode.sandbox.language.refusals import DeniedError

Run = Callable[[str], Any]
BUILTINS: Final = ("getattr", "setattr", "delattr")

#: Where else the library computes the name of an attribute, and why a program gains nothing by it.
JUDGED: Final = {
    "it has the policy's own accessors, from `harden`": """
        argparse contextlib._RedirectStream copy._reconstruct enum.property.__get__ operator
        string.Formatter.get_field annotationlib.ForwardRef.evaluate""",
    "it is an accessor that programs have with a check of its `self` alone": """
        codecs.StreamReader.__getattr__ codecs.StreamReaderWriter.__getattr__
        codecs.StreamRecoder.__getattr__ codecs.StreamWriter.__getattr__
        tempfile._TemporaryFileWrapper.__getattr__ typing._BaseGenericAlias.__getattr__
        typing._BaseGenericAlias.__setattr__""",
    "it is a class that programs see only as decorated, or made": """
        abc.update_abstractmethods dataclasses. enum functools.total_ordering typing.NamedTupleMeta.__new__
        typing.no_type_check typing.runtime_checkable""",
    "the value is compared, called with nothing or thrown away, and the name is an identifier of a\
     class": """
        typing._ProtocolMeta typing._is_callable_members_only inspect.isabstract inspect._findclass
        inspect._finddoc""",
    "the names are those of a list of the library's": """
        functools.update_wrapper _markupbase.ParserBase._parse_doctype_subset hashlib shutil.copystat
        zoneinfo._common._TZifHeader.__init__ platform._Processor.get configparser.SectionProxy
        configparser.ConverterMapping.__init__ _colorize. typing.__getattr__
        xml.dom.minicompat.defproperty xml.dom.expatbuilder.Rejecter
        warnings._getcategory _py_warnings._getcategory functools._singledispatchmethod_get.__getattr__
        pathlib._os.magic_open""",
    "programs cannot reach it": """
        _frozen_importlib. _frozen_importlib_external. _distutils_hack. _pyrepl. bdb. cmd. code.
        codeop. ctypes. doctest. email. gettext. importlib. inspect._main
        inspect._signature_get_user_defined_method inspect.classify_class_attrs inspect.getmodule
        multiprocessing. os._wrap_close pdb. pickle. pkgutil. pydoc. rlcompleter. selectors. site.
        socket. ssl. subprocess. sysconfig. typing._LazyAnnotationLib. unittest.loader. unittest.main.
        unittest.mock. unittest.runner._WritelnDecorator unittest.suite._call_if_exists urllib.request.
        xml.sax.""",
}


#: What a process has loaded that has what programs may import, and no more.
LOADED: Final = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*(f"{name} {getattr(module, '__file__', None) or ''}" for name, module in sys.modules.items()), sep="\\n")
"""


def library_calls() -> Iterator[tuple[str, str, str]]:
    """Module, qualified name and builtin of each access by a name that is computed."""
    names = [*(row.name for row in modules.TABLE), *computed.MODULES]
    loaded = subprocess.run(
        [sys.executable, "-c", LOADED, *names], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    for name, _, path in sorted(line.partition(" ") for line in loaded):
        if name.partition(".")[0] in sys.stdlib_module_names and path.endswith(".py"):
            tree = ast.parse(Path(path).read_bytes())
            for where, builtin in calls_in(tree, ""):
                yield name, where, builtin


def calls_in(node: ast.AST, where: str) -> Iterator[tuple[str, str]]:
    for child in ast.iter_child_nodes(node):
        inner = where
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = f"{where}.{child.name}".lstrip(".")
        match child:
            case ast.Call(func=ast.Name(id=name), args=[_, second, *_]) if name in BUILTINS:
                if not isinstance(second, ast.Constant):
                    yield where, name
            case _:
                pass
        yield from calls_in(child, inner)


@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
def test_each_name_of_an_attribute_that_the_library_computes_is_judged() -> None:
    judged = tuple(" ".join(JUDGED.values()).split())
    missed = [
        f"{module}.{where}: {builtin}"
        for module, where, builtin in library_calls()
        if builtin not in computed.MODULES.get(module, ())
        and not f"{module}.{where}".startswith(judged)
    ]
    assert missed == []


class Spoken:
    """What a module of the test's own made."""

    _hidden = 1


def module_of_spoken() -> Any:
    return sys.modules[Spoken.__module__]


@pytest.fixture
def in_the_table(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(computed.MODULES, Spoken.__module__, BUILTINS)
    return computed.accessors(module_of_spoken())


def test_a_module_reads_and_sets_all_of_what_it_made_itself(in_the_table: Any) -> None:
    made = Spoken()
    name = "-".join(["_hid", "den"]).replace("-", "")
    assert in_the_table["getattr"](made, name) == 1
    in_the_table["setattr"](made, name, 2)
    assert made._hidden == 2
    in_the_table["delattr"](made, name)
    assert made._hidden == 1


def test_of_others_it_reads_what_it_spells_out_and_what_is_open(in_the_table: Any) -> None:
    def function() -> None:
        pass

    read = in_the_table["getattr"]
    assert read(function, "__globals__") is function.__globals__
    assert read("a", "-upper"[1:])() == "A"
    assert read("a", "-nothing"[1:], 3) == 3
    with pytest.raises(DeniedError):
        read(function, "-".join(["__clo", "sure__"]).replace("-", ""))
    with pytest.raises(DeniedError):
        in_the_table["setattr"](function, "planted", 1)
    with pytest.raises(DeniedError):
        in_the_table["delattr"](function, "planted")


HONEST: Final = """
import ast, dataclasses, pprint, reprlib, types

class Names(ast.NodeVisitor):
    def __init__(self):
        self.found = []
    def visit_Name(self, node):
        self.found.append(node.id)

class Renamed(ast.NodeTransformer):
    def visit_Name(self, node):
        return ast.Name("c", node.ctx)
    def visit_Constant(self, node):
        pass

@dataclasses.dataclass
class Point:
    x: int
    _y: int = 2
    parser: object = None

names = Names()
names.visit(ast.parse("a + b"))
renamed = Renamed().visit(ast.parse("def f():\\n    a\\n    return 1"))
print(names.found, ast.unparse(renamed).split())
print(dataclasses.asdict(Point(1)), dataclasses.replace(Point(1), x=5))
print(pprint.pformat(Point(1)), pprint.pformat(types.SimpleNamespace(a=1)))
print(reprlib.repr(list(range(20))))
"""


def test_honest_uses_go_on(run: Run) -> None:
    assert run(HONEST).stdout.splitlines() == [
        "['a', 'b'] ['def', 'f():', 'c', 'return']",
        "{'x': 1, '_y': 2, 'parser': None} Point(x=5, _y=2, parser=None)",
        "Point(x=1, _y=2, parser=None) namespace(a=1)",
        "[0, 1, 2, 3, 4, 5, ...]",
    ]
