"""One program for each way to fail, for the golden files of `tests/integration/golden/failures`.

Each case says what its text must tell. The order is the one in which a reviewer reads them: the
program's text, its exceptions, tools, results, limits, and ends that the host decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from codemode.sandbox import Binding, Limits, Parameter, Signature, StopRunError, ToolCallError
from codemode.sandbox.control import RunControl
from codemode.sandbox.program import Kind, Policy

Act = Callable[[RunControl], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A program that fails, and what its reader must be told.

    Attributes:
        kind: The failure kind that it has.
        tells: What the text must say; for the reviewer.
        act: What the caller does while the program runs, as soon as it has printed.
        is_worded_by_python: The text has words of the interpreter's that differ between versions.
    """

    name: str
    kind: Kind
    tells: str
    source: str
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    policy: Policy = "restricted"
    act: Act | None = None
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    is_worded_by_python: bool = False

    def all_limits(self) -> Limits:
        """Small enough that a failure comes soon, large enough for everything else."""
        given: dict[str, Any] = {"wall_s": 20.0, "drain_s": 0.2, **self.limits}
        return Limits(**given)


def _syntax(name: str, tells: str, source: str) -> Case:
    return Case(name=name, kind="syntax", tells=tells, source=source, is_worded_by_python=True)


def _policy(name: str, tells: str, source: str) -> Case:
    return Case(name=name, kind="policy", tells=tells, source=source)


def _error(name: str, tells: str, source: str, **options: Any) -> Case:
    return Case(name=name, kind="exception", tells=tells, source=source, **options)


def _result(name: str, tells: str, source: str) -> Case:
    return Case(name=name, kind="invalid_output", tells=tells, source=source)


def _limit(name: str, kind: Kind, tells: str, source: str, **limits: float) -> Case:
    return Case(name=name, kind=kind, tells=tells, source=source, limits=limits)


TEXT: Final = (
    _syntax("unclosed-bracket", "the line and the column of the bracket", "total = (1 +\nprint(total)\n"),
    _syntax("missing-colon", "what is missing, and where", "for n in range(3)\n    print(n)\n"),
    _syntax("bad-indentation", "the line that is indented wrongly", "def f():\nreturn 1\n"),
    _syntax("print-statement", "what print() needs", 'print "hello"\n'),
    _syntax("await-in-a-plain-function", "that the function must be async", "def f():\n    return await tools.echo(v=1)\nf()\n"),
    Case(
        name="nested-too-deeply",
        kind="syntax",
        tells="that no parser goes so deep",
        source="x = " + "(" * 150 + "1" + ")" * 150 + "\ny = " + "-" * 20_000 + "1\n",
        is_worded_by_python=True,
    ),
)  # fmt: skip

REFUSALS: Final = (
    _policy("builtin-that-runs-text", "which builtin, and what to use instead", 'rows = eval("[1, 2]")\nexec("x = 1")\nglobals()["y"] = 2\n'),
    _policy("special-attribute", "which attribute, on which line, and what to use instead", "class A:\n    def f(self):\n        pass\nprint(A().f.__code__)\nprint(A.f.__globals__)\n"),
    _policy("frames", "that the interpreter's inside is closed", "def f():\n    yield 1\nprint(f().gi_frame.f_globals)\n"),
    _policy("special-method", "which method may not be defined, and what to use instead", "class Plugin:\n    def __init_subclass__(cls):\n        print(cls)\n    def __del__(self):\n        print('gone')\n"),
    _policy("special-name", "which name", "__builtins__ = {}\nprint(__loader__)\n"),
    _policy("class-pattern", "that a pattern reads attributes, and to use a guard", "match 1:\n    case int(__class__=kind):\n        print(kind)\n"),
    _error("slots-by-text", "which name __slots__ may not have, and the line", "names = ['__class__']\nclass A:\n    __slots__ = names\n", is_worded_by_python=True),
    _policy("super-as-a-value", "how super is called", "class A:\n    def f(self):\n        s = super\n        return s().f()\n"),
    _policy("private-module", "that private modules are closed", "import _thread\nfrom os._wrap import x\n"),
    _policy("except-star-with-an-expression", "how to name the class", "try:\n    pass\nexcept* (ValueError if 1 else KeyError):\n    pass\n"),
    _policy("everything-at-once", "all refusals of the program, in order", "import _io\ndef f(x):\n    return eval(x)\nprint(f.__globals__, f.__code__.co_consts)\n"),
    _error("attribute-by-text", "which attribute, why, and the line", "name = '__glo' + 'bals__'\nprint(getattr(len, name))\n"),
    _error("format-string", "which attribute of the format string", "template = '{0.__class__.__mro__}'\nprint(template.format(1))\n"),
    _error("library-object", "that the object is not the program's, and what to use instead", "import json\njson.JSONEncoder.indent = 2\n"),
    _error("module-is-read-only", "that modules are read-only", "import math\nmath.pi = 3\n"),
    _error("base-class", "which class, and what to use instead", "class Meta(type):\n    pass\n", is_worded_by_python=True),
    _error("private-to-the-library", "that the name is private, and what to use instead", "import json\nprint(json.JSONDecoder()._raw_decode)\nprint(json.dumps._cache)\n"),
    _error("import-of-the-network", "why it is not there, and what to use instead", "import requests\nprint(requests.get('https://example.org').text)\n"),
    _error("import-of-processes", "why it is not there, and what to use instead", "import subprocess\n"),
    _error("import-of-a-package", "that only part of the standard library is here", "from bs4 import BeautifulSoup\n"),
    _error("import-of-a-closed-module", "that the module is not open", "import wave\n"),
    _error("import-misspelt", "the module that was meant", "import jsn\n"),
    _error("withheld-name", "which name of the module, why, and what to use instead", "import os\nos.system('ls')\n"),
    _error("withheld-name-imported", "which name of the module, why, and what to use instead", "from os import fork, getcwd\n"),
    _error("no-such-name-in-a-module", "the name that was meant", "import math\nprint(math.squrt(2))\n"),
    _error("file-of-the-host", "that it is not on the run's own disk", "print(open('/etc/passwd').read())\n"),
    _error("input", "that nobody answers, and what to do instead", "name = input('Your name: ')\n"),
)  # fmt: skip

CHAINED: Final = """\
def parse(text):
    return int(text)

def load(rows):
    return [parse(row["n"]) for row in rows]

try:
    load([{"n": "1"}, {"n": "one"}])
except ValueError as error:
    raise RuntimeError("the rows are broken") from error
"""
GROUP: Final = """\
import asyncio

async def fetch(n):
    await asyncio.sleep(0)
    raise ValueError(f"no page {n}")

async def main():
    async with asyncio.TaskGroup() as group:
        for n in (1, 2):
            group.create_task(fetch(n))

await main()
"""

EXCEPTIONS: Final = (
    _error("traceback", "the program's lines, from the outermost call to the error", "def mean(values):\n    return sum(values) / len(values)\n\nprint('start')\nprint(mean([]))\n"),
    _error("chained", "both errors, and that one caused the other", CHAINED, is_worded_by_python=True),
    _error("while-handling-another", "both errors, in the order in which they came", "data = {}\ntry:\n    data['total']\nexcept KeyError:\n    print(undefined_name)\n"),
    _error("group", "every error of the group, each with its lines", GROUP),
    _error("note", "the note that was added", "error = ValueError('bad row')\nerror.add_note('while reading row 7')\nraise error\n"),
    _error("name-misspelt", "the name that was meant", "total = 3\nprint(totl)\n"),
    _error("attribute-misspelt", "the attribute that was meant", "class Order:\n    def __init__(self):\n        self.amount = 3\nprint(Order().amout)\n"),
    _error("forgotten-self-import", "that the module must be imported", "print(math.sqrt(4))\n", is_worded_by_python=True),
    _error("deep-recursion", "that it recurses, and its last frames only", "def depth(n):\n    return depth(n + 1) + 1\ndepth(0)\n"),
    _error("hostile-text", "the error's type, whatever its text does", "class E(Exception):\n    def __str__(self):\n        raise ValueError('again')\nraise E()\n"),
    _error("endless-text", "head and tail of the text", "raise ValueError('x' * 1_000_000 + 'end')\n"),
    _error("steers-a-terminal", "the text with its controls written out", "raise ValueError('\\x1b[2J \\ud800 \\x00')\n"),
    _error("exit-with-a-status", "the status", "import sys\nprint('usage: ...')\nsys.exit(2)\n"),
    _error("exit-with-a-text", "the text", "import sys\nsys.exit('no rows found')\n"),
    _error("keyboard-interrupt", "that it was raised", "raise KeyboardInterrupt\n"),
    _error("cancelled", "where the cancelled work was awaited", "import asyncio\ntask = asyncio.create_task(asyncio.sleep(9))\nawait asyncio.sleep(0)\ntask.cancel()\nawait task\n"),
    _error("memory-error-caught-and-raised", "the error that the program made of it", "try:\n    x = 'a' * (1 << 40)\nexcept MemoryError:\n    raise ValueError('the rows do not fit') from None\n"),
)  # fmt: skip

TOOLS: Final = (
    _error("call-denied", "the tool's own words and code, and the line of the call", "print('asking')\ntools.send(to='ann')\n"),
    _error("call-failed", "that the tool failed, and nothing of the host's", "tools.broken()\n"),
    _error("call-with-a-wrong-argument", "the parameter that was meant, and how the tool is called", "tools.search(query='x', limt=3)\n"),
    _error("call-without-an-argument", "what is missing, and how the tool is called", "tools.search()\n"),
    _error("call-with-an-object", "where the value is, and what to send", "import datetime\ntools.search(query='x', limit=datetime.date(2024, 1, 1))\n"),
    _error("tool-misspelt", "the tool that was meant", "tools.serch(query='x')\n"),
    _error("tool-by-label-misspelt", "the tools that there are", "tools['web-search'](query='x')\n"),
    _error("tool-that-was-not-granted", "that there is no such tool, and which there are", "tools.admin_secret()\n"),
    _error("key-of-a-record-misspelt", "the keys that the record has", "user = tools.user()\nprint(user.nmae)\n"),
    _error("key-that-a-record-lacks", "the keys that the record has", "user = tools.user()\nprint(user['full_name'])\n"),
    _error("attribute-of-a-list-of-records", "that it is a list, and of what", "users = [tools.user(), tools.user()]\nprint(users.mail)\n"),
    _error("key-of-a-list-of-records", "that it is a list", "users = [tools.user(), tools.user()]\nprint(users['mail'])\n"),
    _error("tool-by-its-last-name", "the tool that was meant", "search(query='x')\n"),
    _error("forgotten-await", "the line and the await that is missing", "async def main():\n    user = tools.user()\n    return user['name']\nawait main()\n"),
    _error("call-dropped", "the line and the await that is missing", "async def main():\n    tools.user()\nawait main()\n"),
    _error("coroutine-as-a-value", "the await that is missing", "async def load():\n    return [1]\nprint(load()[0])\n"),
    _error("result-of-a-tool-is-not-json", "that the tool's result is at fault", "tools.unfit()\n"),
    _error("call-limit-of-one-call", "which limit, its value, how to raise it", "tools.search(query='x' * 3_000)\n", limits={"argument_bytes": 2_000}),
    _error("result-limit-of-one-call", "which limit, its value, how to raise it", "tools.large()\n", limits={"result_bytes": 2_000}),
    _error("outstanding-calls", "which limit, its value, how to raise it", "import asyncio\nawait asyncio.gather(*[tools.slow() for _ in range(9)])\n", limits={"outstanding": 8}),
    _error("group-of-failed-calls", "the call's own error, and the line that made the call", "import asyncio\nasync with asyncio.TaskGroup() as group:\n    group.create_task(tools.send(to='ann'))\n"),
)  # fmt: skip

RESULTS: Final = (
    _result("nan", "where the value is, and what to send", "return {'mean': float('nan'), 'max': [1, float('inf')]}\n"),
    _result("set", "what to send instead", "return {'names': {'ann', 'bob'}}\n"),
    _result("bytes", "what to send instead", "return b'raw'\n"),
    _result("object", "what may be sent", "class Order:\n    pass\nreturn [Order()]\n"),
    _result("dataclass", "what to send instead", "from dataclasses import dataclass\n@dataclass\nclass Order:\n    n: int\nreturn Order(3)\n"),
    _result("enum-and-date", "what to send instead, for each", "import datetime, decimal, enum\nclass Colour(enum.Enum):\n    RED = 1\nreturn {'c': Colour.RED, 'd': datetime.date(2024, 1, 1), 'n': decimal.Decimal('1.5')}\n"),
    _result("keys", "which keys", "return {1: 'one', (2, 3): 'pair'}\n"),
    _result("wide-integer", "the range, and what to send", "return 2 ** 70\n"),
    _result("cycle", "where the value contains itself", "rows = []\nrows.append(rows)\nreturn {'rows': rows}\n"),
    _result("lone-surrogate", "that the text cannot be encoded", "return 'a\\ud800b'\n"),
    _result("deep-value", "how deep a value may be", "value = []\nfor _ in range(1_000):\n    value = [value]\nreturn value\n"),
    _result("coroutine", "the await that is missing", "async def main():\n    return 1\nmain()\n"),
    _result("generator", "that a list is needed", "return (n for n in range(3))\n"),
    _limit("too-large", "limit", "which limit, its value, how to raise it", "return 'x' * 3_000\n", result_bytes=2_000),
)  # fmt: skip

LIMITED: Final = (
    _limit("wall-clock", "timeout", "which limit, its value, how to raise it; what was printed is kept", "print('working')\nwhile True:\n    pass\n", wall_s=0.3),
    _limit("wall-clock-in-one-operation", "timeout", "the same for what no Python code can interrupt", "import re\nprint('matching')\nre.match('(a+)+$', 'a' * 40 + 'b')\n", wall_s=0.3),
    _limit("total-wall-clock", "timeout", "which limit, its value, how to raise it", "import time\ntime.sleep(9)\n", total_wall_s=0.3),
    _limit("processor-time", "cpu_limit", "which limit, its value, how to raise it", "print('working')\nwhile True:\n    pass\n", cpu_s=1),
    _limit("memory", "memory_limit", "which limit, its value, the line, how to raise it", "rows = []\nwhile True:\n    rows.append('x' * 1_000_000)\n", memory_bytes=64 << 20),
    _limit("memory-at-once", "memory_limit", "the same for one large object", "x = bytearray(1 << 40)\n", memory_bytes=64 << 20),
    _limit("output", "output_limit", "which limit, its value, how to raise it; the output up to there", "for n in range(1_000_000):\n    print('row', n)\n", output_bytes=60),
    _limit("log-entries", "output_limit", "which limit, its value, how to raise it", "import sys\nfor n in range(20):\n    print('out')\n    print('err', file=sys.stderr)\n", log_entries=3),
    _limit("calls", "call_limit", "which limit, its value, how to raise it", "for n in range(9):\n    tools.search(query=str(n))\n", calls=5),
    _limit("bytes-of-all-calls", "limit", "which limit, its value, how to raise it", "while True:\n    tools.search(query='x' * 500)\n", total_bytes=2_000),
    _limit("scratch-bytes", "limit", "which limit, its value, the line, how to raise it", "with open('big.txt', 'w') as file:\n    file.write('x' * 2_000_000)\n", scratch_bytes=1_000_000),
    _limit("scratch-files", "limit", "which limit, its value, the line, how to raise it", "for n in range(99):\n    open(f'{n}.txt', 'w').close()\n", scratch_files=20),
    Case(name="input-files", kind="limit", tells="that the given files do not fit", source="print(1)\n", limits={"scratch_bytes": 100}, files={"a.txt": b"x" * 200}),
)  # fmt: skip

ENDS: Final = (
    Case(name="deadlock", kind="deadlock", tells="that it waits for nothing, and where", source="import asyncio\n\nasync def main():\n    queue = asyncio.Queue()\n    return await queue.get()\n\nawait main()\n"),
    Case(name="deadlock-of-a-lock", kind="deadlock", tells="that it waits for nothing, and where", source="import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()\n"),
    Case(name="stopped-by-a-tool", kind="stopped", tells="the reason that the host gave", source="print('before')\ntools.stop()\nprint('never')\n"),
    Case(name="stopped-by-the-caller", kind="stopped", tells="the reason that the host gave", source="print('before')\ntools.slow()\n", act=lambda control: control.stop("a person has to approve this first")),
    Case(name="aborted-by-the-caller", kind="abort", tells="the reason that the host gave", source="print('before')\ntools.slow()\n", act=lambda control: control.abort("the user has cancelled the turn")),
    Case(name="forbidden-system-call", kind="violation", tells="that the jail killed it", policy="none", source="import ctypes\nctypes.CDLL(None).socket(2, 1, 0)\n"),
    Case(name="broken-protocol", kind="violation", tells="which rule of the bridge was broken", policy="none", source="import os\nos.write(3, b'\\xff\\xff\\xff\\xff')\nwhile True:\n    pass\n"),
    Case(name="crash-of-the-interpreter", kind="crash", tells="the signal that it died of", policy="none", source="import ctypes\nctypes.string_at(0)\n"),
    Case(name="exit-without-a-word", kind="crash", tells="the status", policy="none", source="import os\nos._exit(7)\n"),
)  # fmt: skip

#: All of them by folder name, in reading order.
SECTIONS: Final[Mapping[str, tuple[Case, ...]]] = {
    "1-text": TEXT,
    "2-refusals": REFUSALS,
    "3-exceptions": EXCEPTIONS,
    "4-tools": TOOLS,
    "5-results": RESULTS,
    "6-limits": LIMITED,
    "7-ends": ENDS,
}


async def _search(query: str, limit: int = 10) -> Any:
    return {"found": len(query), "limit": limit}


async def _user() -> Any:
    return {"name": "Ann", "mail": "ann@example.org"}


async def _broken() -> Any:
    raise RuntimeError("/srv/host/module.py: connection to 10.0.0.5 refused")


async def _large() -> Any:
    return "x" * 3_000


async def _unfit() -> Any:
    return {"when": object()}


async def _stop() -> Any:
    raise StopRunError("the plan was withdrawn")


async def _send(to: str) -> Any:
    raise ToolCallError("send", f"mail to {to} needs the scope mail:send", "DENIED")


def bindings(slow: Callable[[], Any]) -> dict[str, Callable[..., Any] | Binding]:
    """The tools of every program here.

    Args:
        slow: A tool that answers when the test says so, or never.
    """
    return {
        "tools.search": _search,
        "tools.user": _user,
        "tools.send": _send,
        "tools.broken": _broken,
        "tools.large": _large,
        "tools.unfit": _unfit,
        "tools.stop": _stop,
        "tools.slow": slow,
    }


__all__ = ["SECTIONS", "Case", "Parameter", "Signature", "bindings"]
