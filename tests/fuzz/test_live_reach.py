"""What a program can reach from objects that live in its guest holds nothing of the guest's inside.

The invariant of `test_reach`, for what is not there before a program runs: open files, threads, tasks,
handles, errors, parsers, readers of archives, half-consumed iterators. The program that walks runs
under the language policy, in the jail, and takes only what it may read.
"""

from __future__ import annotations

import pytest

from codemode.sandbox import Limits, Sandbox

PROGRAM = r"""
import argparse, ast, asyncio, codecs, collections, concurrent.futures, configparser, contextlib, contextvars
import csv, dataclasses, decimal, difflib, enum, fractions, functools, graphlib, gzip, hashlib, html.parser
import inspect, io, ipaddress, itertools, json, logging, os, pathlib, pprint, queue, random, re, sched
import statistics, string, sys, tarfile, tempfile, textwrap, threading, time, traceback, types, typing
import unittest, urllib.error, urllib.parse, uuid, warnings, weakref, xml.dom.minidom, zipfile, zoneinfo
import xml.etree.ElementTree as ET

FORBIDDEN = {
    "frame", "code", "cell", "traceback", "Scheduler", "Strand", "Port", "Caller", "_Inside", "_Call", "greenlet",
    "BridgeSelector", "Descriptors", "Tree", "Folder", "File",
}
LEAVES = {
    "int", "str", "float", "bytes", "bool", "NoneType", "complex", "function", "builtin_function_or_method",
    "method", "method-wrapper", "wrapper_descriptor", "method_descriptor", "getset_descriptor",
    "classmethod_descriptor",
}
live = {}

async def work():
    await asyncio.sleep(0)

async def main():
    loop = asyncio.get_running_loop()
    handle, task = tools.echo(v=1), asyncio.create_task(work())
    live.update(
        loop=loop, handle=handle, task=task, coroutine=task.get_coro(), current=asyncio.current_task(),
        future=loop.create_future(), soon=loop.call_soon(int), later=loop.call_later(0, int),
        gathered=asyncio.gather(work()), shielded=asyncio.shield(work()), runner=asyncio.Runner(),
        waits=[asyncio.Lock(), asyncio.Queue(), asyncio.Event(), asyncio.Condition(), asyncio.Semaphore()],
        scopes=[asyncio.timeout(5), asyncio.TaskGroup()],
    )
    await task
    await handle
    try:
        await tools.echo(w=2)
    except ToolCallError as error:
        live["refused"] = error

asyncio.run(main())

def raised(function, *given):
    try:
        function(*given)
    except Exception as error:
        return error

def group():
    raise ExceptionGroup("two", [ValueError(1), KeyError(2)]) from raised(json.loads, "{")

@functools.lru_cache
def cached(x): return x
@functools.singledispatch
def dispatched(x): return x
@contextlib.contextmanager
def managed(): yield
def generator(): yield 1
async def agenerator(): yield 1
class Worker(threading.Thread): pass
class Colour(enum.Flag): RED = 1; BLUE = 2
@dataclasses.dataclass
class Record: a: int = 1
class Row(typing.NamedTuple): a: int = 1
T = typing.TypeVar("T")
class Box(typing.Generic[T]): pass
class Case(unittest.TestCase):
    def test(self): self.assertEqual(1, 2)

result = unittest.TestResult()
Case("test").run(result)
open("a.txt", "w").write("x")
with zipfile.ZipFile("z.zip", "w") as z: z.writestr("a", "b")
with tarfile.open("t.tar", "w") as t: t.add("a.txt")
with gzip.open("g.gz", "wt") as g: g.write("x")
pool = concurrent.futures.ThreadPoolExecutor()
live.update(
    errors=[raised(open, "no"), raised(group), raised(getattr, [], "no"), raised(ast.literal_eval, "(")],
    shown=traceback.TracebackException.from_exception(raised(group)), result=result, case=Case("test"),
    files=[open("a.txt"), open("a.txt", "rb"), open("a.txt", "rb", buffering=0), gzip.open("g.gz"),
           tempfile.NamedTemporaryFile(), tempfile.TemporaryDirectory(), tempfile.SpooledTemporaryFile()],
    folder=[pathlib.Path("a.txt"), os.stat("a.txt"), os.scandir("."), *os.scandir("."), os.walk("."), os.environ],
    zipped=[zipfile.ZipFile("z.zip"), zipfile.Path("z.zip"), zipfile.ZipFile("z.zip").open("a")],
    tarred=[tarfile.open("t.tar"), tarfile.open("t.tar").getmembers(), tarfile.open("t.tar").extractfile("a.txt")],
    pool=[pool, pool.submit(int)], queue=queue.Queue(), scheduler=sched.scheduler(),
    threads=[Worker(), threading.main_thread(), threading.Timer(1, print), threading.local(), threading.Lock(),
             threading.RLock(), threading.Condition(), threading.Event(), threading.Semaphore(), threading.Barrier(1)],
    own=[Colour, Colour.RED | Colour.BLUE, Record, Record(), dataclasses.fields(Record), Row, Row(), Box, Box[int]],
    functions=[cached, dispatched, managed, managed(), generator(), agenerator(), functools.partial(int),
               functools.cached_property(int), functools.partialmethod(int), functools.singledispatchmethod(cached)],
    logs=[logging.root, logging.root.handlers, logging.root.manager, logging.makeLogRecord({}), logging.Formatter()],
    contexts=[contextvars.copy_context(), decimal.getcontext(), contextlib.ExitStack(), warnings.catch_warnings(),
              contextlib.redirect_stdout(io.StringIO())],
    texts=[re.match("(a)", "a"), re.compile("a"), string.Template("a"), string.Formatter(), textwrap.TextWrapper(),
           pprint.PrettyPrinter(), difflib.SequenceMatcher(None, "a", "b"), html.parser.HTMLParser()],
    readers=[csv.reader(["a"]), csv.DictReader(["a"]), csv.Sniffer(), configparser.ConfigParser(),
             argparse.ArgumentParser(), codecs.lookup("utf-8"), codecs.getreader("utf-8")(io.BytesIO())],
    trees=[ast.parse("a = 1"), ET.fromstring("<a><b/></a>"), ET.XMLParser(), ET.ElementTree(ET.Element("a")),
           xml.dom.minidom.parseString("<a><b c='1'/></a>")],
    others=[inspect.signature(cached), hashlib.sha256(), random.Random(1), zoneinfo.ZoneInfo("UTC"), uuid.uuid4(),
            urllib.parse.urlparse("http://a"), urllib.error.HTTPError("", 1, "", {}, None), fractions.Fraction(1),
            statistics.NormalDist(), graphlib.TopologicalSorter({}), ipaddress.ip_network("10.0.0.0/30"),
            collections.ChainMap({}), collections.UserDict(), itertools.cycle([]), time.gmtime(), list[int], int | str],
    references=[weakref.ref(Record), weakref.proxy(cached), weakref.WeakSet(), weakref.WeakValueDictionary()],
    console=[sys.stdout, sys.stderr, sys.stdin, sys.flags, sys.implementation, help, input, open, print],
    tools=[tools, tools.echo], lineage=[super(Record, Record()), property(int), classmethod(int)],
)

def fault(value):
    kind = type(value).__name__
    if kind in FORBIDDEN or (kind == "module" and type(value) is not type(json)):
        return kind
    if isinstance(value, type) and value is not type and type == value:
        return "the real type"
    if kind in ("dict", "mappingproxy") and ("__builtins__" in value or "__loader__" in value):
        return "the namespace of a module"

seen, todo = {}, collections.deque(live.items())
while todo:
    path, value = todo.popleft()
    if id(value) in seen:
        continue
    seen[id(value)] = value
    if found := fault(value):
        print("FOUND", found, path)
        continue
    if type(value).__name__ in LEAVES or path.count("/") > 5:
        continue
    with contextlib.suppress(BaseException):
        for name in dir(value):
            with contextlib.suppress(BaseException):
                todo.append((f"{path}/{name}", getattr(value, name)))
    if type(value) in (list, tuple, set, frozenset, collections.deque):
        todo.extend((f"{path}/[{index}]", one) for index, one in enumerate(list(value)[:50]))
    elif isinstance(value, (dict, types.MappingProxyType)):
        with contextlib.suppress(BaseException):
            for key, one in list(value.items())[:50]:
                todo += [(f"{path}/key", key), (f"{path}/[{key!r:.20}]", one)]
print("walked", len(seen))
"""


async def echo(v: object = None) -> object:
    return v


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 6.2", "SANDBOX 6.6")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_no_live_object_leads_to_the_inside_of_the_guest() -> None:
    limits = Limits(wall_s=60, cpu_s=50, memory_bytes=1 << 30)
    async with Sandbox(limits=limits) as sandbox:
        outcome = await sandbox.run(PROGRAM, bindings={"tools.echo": echo})
    assert outcome.failure is None, outcome.failure
    *found, last = outcome.stdout.strip().splitlines()
    assert [line for line in found if line.startswith("FOUND")] == []
    assert int(last.removeprefix("walked ")) > 15_000
