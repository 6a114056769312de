"""What ordinary programs meet only in a guest: arguments, streams, log files, threads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from sandbox_runner import Run, running

from codemode.sandbox import Binding, Call

UNTIL_3_13 = pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="no loop is there before one is made"
)


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    with running() as run:
        yield run


PROGRAM = """
import argparse, sys
parser = argparse.ArgumentParser()
parser.add_argument("name", nargs="?", default="nobody")
print(sys.argv, parser.parse_args().name)
sys.argv = ["tool", "somebody"]
print(parser.parse_args().name)
"""


@pytest.mark.spec("SANDBOX 5.4")
def test_a_program_has_no_arguments_but_its_own(run: Run) -> None:
    for _ in range(2):
        outcome = run(PROGRAM)
        assert outcome.stdout == "['program.py'] nobody\nsomebody\n"


@pytest.mark.spec("SANDBOX 7.1")
def test_print_names_itself_in_its_errors(run: Run) -> None:
    outcome = run("print(1, colour=2)")
    assert outcome.failure is not None
    assert "print()" in outcome.failure.message
    assert "'colour'" in outcome.failure.message
    with pytest.raises(TypeError) as native:
        print(1, colour=2)  # type: ignore[call-overload]  # noqa: T201  # for its message
    assert str(native.value) in outcome.failure.message


@pytest.mark.spec("SANDBOX 5.5")
def test_log_files_are_scratch_files(run: Run) -> None:
    outcome = run(
        "import logging, logging.handlers\n"
        "a = logging.FileHandler('a.log')\nb = logging.handlers.RotatingFileHandler('b.log', maxBytes=8, backupCount=1)\n"
        "log = logging.getLogger('files')\nlog.propagate = False\n"
        "log.addHandler(a)\nlog.addHandler(b)\nlog.warning('one')\nlog.warning('second')\n"
        "logging.shutdown()\nprint(open('a.log').read(), open('b.log').read(), open('b.log.1').read())",
        artifacts=["*.log"],
    )
    assert outcome.stdout == "one\nsecond\n second\n one\n\n", outcome.failure
    assert outcome.artifacts["a.log"] == b"one\nsecond\n"


@pytest.mark.spec("SANDBOX 5.4", "SANDBOX 6.5")
def test_a_thread_takes_its_public_attributes(run: Run) -> None:
    outcome = run(
        "import threading\nt = threading.Thread(target=print, args=('ran',))\n"
        "t.daemon = True\nt.name = 'worker'\nt.start()\nt.join()\nprint(t.daemon, t.name)"
    )
    assert outcome.stdout == "ran\nTrue worker\n", outcome.failure
    for refused in ("t._target", "t._target = print", "t.__dict__"):
        outcome = run(f"import threading\nt = threading.Thread()\n{refused}")
        assert outcome.failure is not None
        assert "refused" in outcome.failure.message


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
def test_a_program_may_put_its_own_text_in_place_of_the_input(run: Run) -> None:
    outcome = run(
        "import io, sys\nsys.stdin = io.StringIO('one\\ntwo')\nprint(input(), input('? '))\n"
        "sys.stdin = sys.__stdin__\nsys.stdout = io.StringIO()\nprint('lost')\n"
        "sys.stdout = sys.__stdout__\nprint('back')\ninput()"
    )
    assert outcome.stdout == "? one two\nback\n"
    assert outcome.failure is not None
    assert outcome.failure.exception == "EOFError"


@pytest.mark.spec("SANDBOX 5.1")
def test_what_stands_in_for_the_library_has_the_library_s_name(run: Run) -> None:
    outcome = run(
        "import sys, threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "print(type(sys.stdout), threading.Thread, type(threading.Lock()), ThreadPoolExecutor)"
    )
    assert outcome.stdout == (
        "<class '_io.TextIOWrapper'> <class 'threading.Thread'> <class '_thread.lock'>"
        " <class 'concurrent.futures.thread.ThreadPoolExecutor'>\n"
    )


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
def test_the_streams_of_sys_are_those_that_the_library_put_there(run: Run) -> None:
    outcome = run(
        "import contextlib, io, sys\nfrom sys import stderr\n"
        "with contextlib.redirect_stderr(io.StringIO()) as err, contextlib.redirect_stdout(io.StringIO()) as out:\n"
        "    print('one', file=sys.stderr)\n    sys.stdout.write('two')\n"
        "print(repr(err.getvalue()), out.getvalue(), sys.stderr is stderr, 'stdout' in dir(sys))\n"
        "from sys import *\nprint(stdout is sys.stdout)"
    )
    assert outcome.stdout == "'one\\n' two True True\nTrue\n", outcome.failure
    assert outcome.stderr == ""


@pytest.mark.spec("SANDBOX 5.1")
def test_print_writes_to_a_stream_of_the_programs_as_the_builtin_does(run: Run) -> None:
    outcome = run(
        "import sys\nclass Out:\n    def __init__(self): self.parts = []\n"
        "    def write(self, text): self.parts.append(text)\n"
        "out = Out()\nprint('a', 1, file=out)\nprint(end='', file=out)\n"
        "sys.stdout = None\nprint('lost')\nsys.stdout = sys.__stdout__\nprint(out.parts)"
    )
    assert outcome.stdout == "['a', ' ', '1', '\\n', '']\n", outcome.failure


@pytest.mark.spec("SANDBOX 5.5")
def test_files_are_opened_with_a_codec(run: Run) -> None:
    outcome = run(
        "import codecs\nwith codecs.open('a.txt', 'w', 'latin-1') as f: f.write('\\xe9\\r\\n')\n"
        "print(open('a.txt', 'rb').read(), repr(codecs.open('a.txt', encoding='latin-1').read()), codecs.open('a.txt', 'rb').read(1))"
    )
    assert outcome.stdout == "b'\\xe9\\r\\n' 'é\\r\\n' b'\\xe9'\n", outcome.failure


@pytest.mark.spec("SANDBOX 5.4")
def test_names_that_only_a_guest_has_are_there(run: Run) -> None:
    outcome = run(
        "import os, random, sys, threading, time, uuid\n"
        "print(uuid.uuid1().version, uuid.uuid1() != uuid.uuid1(), random.SystemRandom, time.thread_time() >= 0)\n"
        "print(issubclass(threading.ThreadError, RuntimeError), threading.TIMEOUT_MAX > 0, os.EX_USAGE,\n"
        "      'json' in sys.stdlib_module_names, 'sys' in sys.builtin_module_names, sys.warnoptions)"
    )
    assert outcome.stdout == (
        "1 True <class 'random.SystemRandom'> True\nTrue True 64 True True []\n"
    ), outcome.failure


@pytest.mark.spec("SANDBOX 5.2")
@pytest.mark.parametrize(
    "source",
    [
        "asyncio.run(f(v=[1]))",
        pytest.param("asyncio.get_event_loop().run_until_complete(f(v=[1]))", marks=UNTIL_3_13),
        "asyncio.new_event_loop().run_until_complete(f(v=[1]))",
        "(lambda answer: asyncio.run(answer))(f(v=[1]))",
    ],
)
def test_a_call_in_plain_code_may_be_given_to_asyncio(run: Run, source: str) -> None:
    async def echo(call: Call) -> Any:
        return call.arguments["v"]

    outcome = run(
        f"import asyncio\nasync def later(): return 'ran'\n{source}\nprint({source}, asyncio.run(later()))",
        bindings={"f": Binding(handler=echo)},
    )
    assert outcome.stdout == "[1] ran\n", outcome.failure


@pytest.mark.spec("SANDBOX 5.2", "SANDBOX 7.1")
@pytest.mark.parametrize(
    ("source", "hint"),
    [
        (
            "import asyncio\nasyncio.new_event_loop().run_until_complete(3)",
            "gives its answer at once",
        ),
        ("async def f(): return 3\nx = await f()\nawait x", "is not awaited again"),
    ],
)
def test_what_cannot_be_awaited_is_refused_with_a_hint(run: Run, source: str, hint: str) -> None:
    outcome = run(source)
    assert outcome.failure is not None
    assert hint in outcome.failure.message


@pytest.mark.spec("SANDBOX 5.1")
def test_answers_and_sets_of_tasks_look_like_what_they_are(run: Run) -> None:
    async def record(_: Call) -> Any:
        return {"a": 1}

    outcome = run(
        "import asyncio\nasync def main():\n"
        "    done, pending = await asyncio.wait([asyncio.create_task(asyncio.sleep(0))])\n"
        "    return str(pending), type(done), repr(done)[:7]\n"
        "print(type(f()).__name__, *asyncio.run(main()))",
        bindings={"f": Binding(handler=record)},
    )
    assert outcome.stdout == "dict set() <class 'set'> {<Task \n", outcome.failure


BYTES = """
import io, sys
sys.stdout.reconfigure(encoding="utf-8")
print("a")
print(sys.stdout.buffer.write(b"b\\xc3"), sys.stdin.buffer.read(), sys.stdin.encoding)
sys.stdout.buffer.write(b"\\xa9\\xff\\n")
print(sys.stdout.line_buffering, type(sys.stdout.buffer))
sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
print("wrapped")
sys.stdout = io.TextIOWrapper(sys.__stdout__.detach(), encoding="utf-8")
print("again é")
"""


@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
@pytest.mark.parametrize("end", ["", "sys.exit(3)", "1 / 0"])
def test_the_bytes_under_a_stream_are_its_text(run: Run, end: str) -> None:
    outcome = run(BYTES + end)
    assert outcome.stdout == (
        "a\nb2 b'' utf-8\né\\xff\nFalse <class '_io.BufferedWriter'>\nwrapped\nagain é\n"
    ), outcome.failure
    assert (outcome.failure is None) == (not end)


@pytest.mark.spec("SANDBOX 1.8")
def test_a_stream_that_raises_at_the_end_harms_nobody(run: Run) -> None:
    outcome = run(
        "import io, sys\nclass Raw(io.RawIOBase):\n    def writable(self): return True\n"
        "    def write(self, data): raise OSError('full')\n"
        "sys.stdout = io.TextIOWrapper(io.BufferedWriter(Raw()))\nprint('lost')"
    )
    assert outcome.failure is None
    assert outcome.stdout == ""


DEPTH = """
import sys
def deepest(n):
    try:
        return deepest(n + 1)
    except RecursionError:
        return n
print(sys.getrecursionlimit(), deepest(0))
sys.setrecursionlimit(3000)
print(sys.getrecursionlimit(), deepest(0))
"""


@pytest.mark.spec("SANDBOX 5.1")
def test_a_program_recurses_exactly_as_deep_as_in_plain_python() -> None:
    command = [sys.executable, "-c", DEPTH]
    plain = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
    with running() as run_anew:
        # Some guests have rehearsed before, and some have not.
        printed = [run_anew(DEPTH).stdout for _ in range(5)]
    assert printed == [plain.stdout] * 5


@pytest.mark.spec("SANDBOX 1.8")
def test_what_the_library_counts_on_its_own_classes_goes_on(run: Run) -> None:
    outcome = run(
        "import difflib, os, tempfile\n"
        "with tempfile.TemporaryDirectory() as place: print(os.path.isdir(place))\n"
        "print(os.path.exists(place), '<table' in difflib.HtmlDiff().make_file(['a'], ['b']))"
    )
    assert outcome.stdout == "True\nFalse True\n", outcome.failure


@pytest.mark.spec("SANDBOX 1.8")
def test_the_beginning_of_a_character_is_written_at_the_end(run: Run) -> None:
    outcome = run("import sys\nn = sys.stdout.buffer.write(b'a\\xc3')")
    assert outcome.stdout == "a\\xc3", outcome.failure


@pytest.mark.spec("SANDBOX 1.8")
@pytest.mark.parametrize("end", ["SystemExit", "KeyboardInterrupt", "OSError"])
def test_what_a_thread_died_of_is_said_whatever_the_stream_does(run: Run, end: str) -> None:
    outcome = run(
        "import sys, threading\nclass Stream:\n    def write(self, text): raise "
        f"{end}\nsys.stderr = Stream()\nt = threading.Thread(target=lambda: 1 / 0)\n"
        "t.start()\nt.join()\nprint('goes on')"
    )
    assert outcome.stdout == "goes on\n", outcome.failure
    assert "ZeroDivisionError: division by zero" in outcome.stderr


@pytest.mark.spec("SANDBOX 5.4")
def test_a_log_line_names_the_function_and_the_line_that_wrote_it(run: Run) -> None:
    outcome = run(
        "import logging, sys\n"
        "logging.basicConfig(stream=sys.stdout, level=1, format='%(funcName)s %(lineno)d %(filename)s')\n"
        "log = logging.getLogger('app')\n"
        "def work():\n    log.info('a')\n    logging.error('b')\n    try: 1 / 0\n    except ZeroDivisionError: log.warning('c', exc_info=False)\n"
        "work()\nlogging.LoggerAdapter(log, {}).debug('d')"
    )
    assert outcome.stdout.splitlines() == [
        "work 5 program.py",
        "work 6 program.py",
        "work 8 program.py",
        "<module> 10 program.py",
    ], outcome.failure


@pytest.mark.spec("SANDBOX 5.4")
def test_what_programs_ask_sys_for_is_there(run: Run) -> None:
    outcome = run(
        "import sys\n"
        "for wrong in (0, -5, 1.5, 'many'):\n"
        "    try: sys.setrecursionlimit(wrong)\n"
        "    except (ValueError, TypeError) as error: print(type(error).__name__)\n"
        "print(sys.prefix == sys.base_prefix, sys.exec_prefix, sys.orig_argv, sys.getallocatedblocks() > 0)"
    )
    assert outcome.stdout.split() == [
        *("ValueError", "ValueError", "TypeError", "TypeError", "True", "[]", "True")
    ], outcome.failure


@pytest.mark.spec("SANDBOX 5.4")
def test_a_template_makes_its_pattern(run: Run) -> None:
    outcome = run(
        "import string\n"
        "class T(string.Template):\n    delimiter = '%'\n"
        "print(string.Template('a $b').substitute(b=1), T('a %b').substitute(b=2))\n"
    )
    assert (outcome.failure, outcome.stdout) == (None, "a 1 a 2\n")


@pytest.mark.spec("SANDBOX 5.5")
def test_a_program_lies_in_its_scratch_tree(run: Run) -> None:
    outcome = run(
        "import asyncio.exceptions, os, tokenize\n"
        "here = os.path.dirname(__file__)\n"
        "os.makedirs(os.path.join(here, 'out'))\n"
        "print(__file__, os.listdir(here), os.listdir())\n"
        "print(asyncio.exceptions.TimeoutError is TimeoutError, tokenize.TokenError.__name__)"
    )
    assert outcome.stdout.splitlines() == [
        "/scratch/program.py ['out'] ['out']",
        "True TokenError",
    ], outcome.failure


@pytest.mark.spec("SANDBOX 5.1")
def test_a_walk_along_a_lineage_comes_to_its_end(run: Run) -> None:
    outcome = run(
        "class A: a = 1\n"
        "class B(A): b = 2\n"
        "names = [n for c in B.__mro__ for n in vars(c) if n[:2] != '__']\n"
        "print(names, ['a' in c.__dict__ for c in B.__mro__], '__eq__' in object.__dict__)"
    )
    assert outcome.stdout == "['b', 'a'] [False, True, False] True\n", outcome.failure


@pytest.mark.spec("SANDBOX 7.1")
def test_a_function_that_is_called_by_its_last_name_is_named(run: Run) -> None:
    async def search(query: str) -> str:
        return query

    def said(code: str, *paths: str) -> str:
        failure = run(code, bindings=dict.fromkeys(paths, search)).failure
        assert failure is not None
        return failure.message

    one, two = "tools.search", "tools.web.search"
    assert said("search(query='a')", one).endswith("\nHint: did you mean `tools.search`?")
    assert said("search(query='a')", one, two).endswith("`tools.search` or `tools.web.search`?")
    assert said("x", one).endswith("name 'x' is not defined")
    assert said("{'a': true}").endswith("\nHint: Python writes `True`")
    assert said("import json\nt = '{}'\nt['a']").endswith("json.loads() makes a value of it")
    assert said("t = '[1]'\nt.get('a')").endswith("json.loads() makes a value of it")
    assert said("'text'.get('a')").endswith("'str' object has no attribute 'get'")


@pytest.mark.spec("SANDBOX 7.1")
def test_what_a_record_lacks_is_said_and_stays_an_ordinary_error(run: Run) -> None:
    async def user() -> dict[str, Any]:
        return {"name": "Ann", "tags": [{"id": 1}]}

    def ends(code: str) -> str:
        failure = run(f"u = tools.user()\n{code}", bindings={"tools.user": user}).failure
        assert failure is not None
        return failure.message.splitlines()[-1]

    assert ends("u['nam']") == (
        "this value has no 'nam' (it has: 'name', 'tags'); did you mean 'name'?"
    )
    assert ends("u[5]") == "KeyError: 5"
    assert ends("u.tags['id']").startswith("Hint: it is a list")
    assert ends("u.tags.id").startswith("Hint: it is a list, and its items have 'id'")
    assert ends("u.tags.get('id')").startswith("Hint: it is a list, and its items have 'get'")
    assert ends("u.tags.x") == "AttributeError: 'list' object has no attribute 'x'"
    outcome = run(
        "u = tools.user()\ntry:\n    u['x']\nexcept KeyError as e:\n    print(e, repr(e), type(e))\n"
        "print(u.get('x'), 'x' in u, u.pop('x', 3), u.setdefault('y', 4), getattr(u, 'z', 5), {**u}['y'])",
        bindings={"tools.user": user},
    )
    assert outcome.stdout == "'x' KeyError('x') <class 'KeyError'>\nNone False 3 4 5 4\n"


@pytest.mark.spec("SANDBOX 5.6")
@pytest.mark.parametrize(
    ("code", "instead"),
    [
        ("from multiprocessing.pool import ThreadPool", "ThreadPoolExecutor"),
        ("import signal", "asyncio.timeout()"),
        ("import email.message", "f-strings"),
        ("import importlib.util", "except ImportError"),
        ("import builtins", "the name itself"),
        ("import os\nos._exit(0)", "sys.exit()"),
        ("async def f(): return 1\nf() + 1", "an `await` is missing"),
    ],
)
def test_a_refusal_says_what_serves_the_purpose(run: Run, code: str, instead: str) -> None:
    outcome = run(code)
    assert outcome.failure is not None
    assert instead in outcome.failure.message


ORDINARY = {
    "a class as the decorator of a method": """
import types
class Count:
    def __init__(self, function):
        self.function, self.n = function, 0
    def __call__(self, *args):
        self.n += 1
        return self.function(*args)
    def __get__(self, one, kind=None):
        return self if one is None else types.MethodType(self, one)
class A:
    @Count
    def double(self, x):
        return x * 2
print(A().double(3), A.double.n, type(A().double) is types.MethodType)
""",
    "a class method of an object that is called": """
class Log:
    def __init__(self, function):
        self.function = function
    def __call__(self, *args):
        return self.function(*args)
class A:
    @classmethod
    @Log
    def name(cls):
        return cls.__name__
print(A.name(), isinstance(vars(A)["name"], classmethod))
""",
    "callbacks that are removed": """
import asyncio
async def nothing():
    pass
async def main():
    task, seen = asyncio.create_task(nothing()), set()
    for callback in (seen.discard, print):
        task.add_done_callback(callback)
        print(task.remove_done_callback(callback), task.remove_done_callback(None))
    await task
asyncio.run(main())
""",
    "a timer that repeats": """
import threading
class Repeat(threading.Timer):
    def run(self):
        for _ in range(2):
            self.finished.wait(self.interval)
            self.function(*self.args, **self.kwargs)
timer = Repeat(0.001, print, ["tick"])
timer.start()
timer.join()
""",
    "an initializer on the fourth line, where the rehearsal's is": """
import types
class A:
    def __init__(self, a, b=3):
        self.a = a
print(A.__init__ is A.__init__)
A.__init__(types.SimpleNamespace(), 1)
""",
    "counts of a class and of its objects": """
class A:
    _count = 0
    def __init__(self):
        A._count += 1
        type(self)._count += 1
        self._count += 1
print(A()._count, A._count)
""",
}


@pytest.mark.spec("SANDBOX 5.1")
@pytest.mark.parametrize("program", ORDINARY.values(), ids=ORDINARY)
def test_what_plain_python_prints_is_printed(run: Run, program: str) -> None:
    plain = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    outcome = run(program)
    assert outcome.failure is None, outcome.failure
    assert outcome.stdout == plain.stdout
