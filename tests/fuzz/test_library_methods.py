"""No method of the library hands a program what is not its to have, whoever its `self` is.

The invariant: each function of a module, each method of its classes with a `self` of the program's
own, and each method of an heir that overrides all others, called with objects of all kinds, gives
nothing forbidden to the program's objects: no real `type`, no frame or code, no object of the
guest's inside, no dict of a module or of a library class, no method of the program's class without
the check of its `self`. The program that asks runs under the language policy, in the jail.
"""

from __future__ import annotations

import pytest

from codemode.sandbox import Limits, Sandbox

PROGRAM = r'''
import asyncio, codecs, dataclasses, importlib, json, logging, threading
view = importlib.import_module("@MODULE@")
DONE = @DONE@
FORBIDDEN = {
    "frame", "code", "cell", "Scheduler", "Strand", "Port", "Caller", "_Inside", "_Call", "greenlet",
    "BridgeSelector", "Descriptors", "Tree", "Folder", "File",
}
where, budget, told = ["?"], [0], set()

def fault(x, depth=0):
    kind = type(x)
    name = kind.__name__
    if name in FORBIDDEN or (name == "module" and type(x) is not type(json)):
        return name
    if kind is type and x is not type and type == x:
        return "the real type"
    if name == "function" and x.__name__ == "zq" + "q":
        try:
            x(5)
        except AttributeError:
            return None
        return "a method without its check"
    if depth < 2:
        inner = []
        if name in ("dict", "mappingproxy", "dict_items"):
            items = dict(x)
            if "__builtins__" in items or "__getattr__" in items and "charbuffertype" in items:
                return "a dict of others"
            inner = list(items.values())
        elif kind in (list, tuple):
            inner = list(x)
        for one in inner[:40]:
            if found := fault(one, depth + 1):
                return found

def tell(*given):
    for one in given:
        found = fault(one)
        if found and (where[0], found) not in told:
            told.add((where[0], found))
            print("FOUND", where[0], found)

class Me:
    """Is anything, has anything, and tells what it is given."""
    def __getattr__(self, name):
        budget[0] += 1
        if name[:2] == "__" or budget[0] > 200:
            raise AttributeError(name)
        return self
    def __setattr__(self, name, value): tell(value)
    def __call__(self, *given, **named):
        tell(*given, *named.values())
        return self
    def __getitem__(self, key):
        tell(key)
        return self
    def __setitem__(self, key, value): tell(key, value)
    def __iter__(self): return iter((self, self))
    def __len__(self): return 2
    def __contains__(self, item):
        tell(item)
        return True
    def __enter__(self): return self
    def __exit__(self, *_): return True
    def __mod__(self, other):
        tell(other)
        return self
    __add__ = __radd__ = __or__ = __ror__ = __and__ = __sub__ = __mul__ = __mod__
    def __eq__(self, other):
        tell(other)
        return True
    __lt__ = __gt__ = __le__ = __ge__ = __eq__
    def __hash__(self): return 1
    def __str__(self): return "me"
    def __instancecheck__(self, one):
        tell(one)
        return True
    __subclasscheck__ = __instancecheck__

name = "zq" + "q"
class Own(dataclasses.make_dataclass("Base", [(name, int)])):
    def zqq(self): return self
    def generic_visit(self, node): pass
class Heir(Own): pass
def plain(a=1): pass
async def running(): return asyncio.get_running_loop()

me = Me()
OTHERS = [
    Own, super(Heir, Heir), codecs.StreamReader, int, plain, (i for i in ()), asyncio.run(running()),
    tools.echo, tools, json, logging.root, Me, getattr, name,
]
ARGUMENTS = [(), (me,), (me, me), (me, me, me)]
ARGUMENTS += [(one, *rest) for one in OTHERS for rest in ((), (me,), (me, me), (me, 0, 0, me, 0))]
ARGUMENTS += [(me, one) for one in OTHERS]

def try_all(label, function, *first):
    if label in DONE:
        return
    where[0] = label
    print("AT", label)
    for arguments in ARGUMENTS:
        budget[0] = 0
        try:
            function(*first, *arguments)
        except BaseException:
            pass

def found(self, name): return getattr(me, name)

def overriding(kind, kept):
    names = [n for n in dir(kind) if n[:2] != "__" and n != kept and callable(getattr(kind, n, None))]
    return type("Overriding", (kind,), {**dict.fromkeys(names, me), "__getattr__": found})

for name in dir(view):
    value = getattr(view, name, None)
    if type(value).__name__ == "function":
        try_all(name, value)
    if not isinstance(value, type):
        continue
    for method in dir(value):
        if type(getattr(value, method, None)).__name__ == "function":
            try_all(f"{name}.{method}", getattr(value, method), me)
    try:
        class Probe(value): pass
        methods = [n for n in dir(Probe) if type(getattr(Probe, n, None)).__name__ == "function"]
    except BaseException:
        continue
    for method in methods:
        try:
            kind = overriding(Probe, method)
            function = getattr(kind.__new__(kind), method)
        except BaseException:
            continue
        try_all(f"{name}: {method}", function)
print("ALL")
'''

#: Those whose methods call back, and read or set attributes of what they are given.
MODULES = """
    ast argparse contextlib copy dataclasses enum functools inspect json logging pprint reprlib
    statistics string tarfile traceback typing unittest xml.dom.minidom"""


async def echo(v: object = None) -> object:
    return v


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("module", MODULES.split())
async def test_no_method_of_the_library_gives_what_is_forbidden(module: str) -> None:
    done: list[str] = []
    lines: list[str] = []
    async with Sandbox(limits=Limits(wall_s=10, cpu_s=8, output_bytes=4 << 20)) as sandbox:
        for _ in range(10):
            source = PROGRAM.replace("@MODULE@", module).replace("@DONE@", repr(done))
            outcome = await sandbox.run(source, bindings={"tools.echo": echo})
            lines = outcome.stdout.splitlines()
            assert [line for line in lines if line.startswith("FOUND")] == []
            if "ALL" in lines:
                break
            # Some end the program, by the jail or by a limit: go on behind them.
            begun = [line.removeprefix("AT ") for line in lines if line.startswith("AT ")]
            assert begun, outcome.failure
            done += begun
        assert "ALL" in lines, done[-1]
