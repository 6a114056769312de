"""What the author of a program reads when it fails, and what of its output is kept."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_runner import Run, running

from codemode.sandbox import Limits, Program


@pytest.fixture(scope="module", params=["restricted", "none"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with running(policy=request.param) as run:
        yield run


CHAINED = """
def parse(text):
    return int(text)

async def outer():
    return [parse(x) for x in ["1", "x"]]

import asyncio
print("before")
try:
    parse("x")
except ValueError as error:
    raise KeyError("wrapped") from error
"""


@pytest.mark.spec("SANDBOX 7.1")
def test_a_traceback_is_as_the_interpreter_prints_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(CHAINED)
    real = subprocess.run(  # the interpreter itself
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    outcome = run(CHAINED)
    assert outcome.failure is not None
    assert outcome.stdout == real.stdout == "before\n"
    assert outcome.failure.traceback == real.stderr.replace(f"{tmp_path}/", "")
    assert outcome.failure.message == "KeyError: 'wrapped'"
    assert (outcome.failure.line, outcome.failure.exception) == (13, "KeyError")


@pytest.mark.spec("SANDBOX 7.1")
def test_frames_of_the_library_are_left_out(run: Run) -> None:
    outcome = run("import json\njson.loads('{')")
    assert outcome.failure is not None
    assert outcome.failure.traceback.count("File") == 1
    assert outcome.failure.line == 2


@pytest.mark.spec("SANDBOX 7.1")
def test_a_deep_recursion_shows_its_last_frames(run: Run) -> None:
    outcome = run("def f(n):\n    if n == 300:\n        1 / 0\n    f(n + 1)\nf(0)")
    assert outcome.failure is not None
    assert outcome.failure.line == 3
    assert len(outcome.failure.traceback) < 2_000
    outcome = run("def f(n):\n    return f(n + 1)\nf(0)")
    assert outcome.failure is not None
    assert outcome.failure.exception == "RecursionError"


@pytest.mark.spec("SANDBOX 7.1")
@pytest.mark.parametrize("method", ["__str__", "__repr__"])
@pytest.mark.parametrize(
    "body", ["return 'x' * 10_000_000", "return 5", "raise ValueError('again')", "raise SystemExit"]
)
def test_hostile_texts_of_an_exception_are_bounded(run: Run, method: str, body: str) -> None:
    outcome = run(f"class E(Exception):\n    def {method}(self):\n        {body}\nraise E()")
    assert outcome.failure is not None
    assert outcome.failure.exception == "E"
    assert len(outcome.failure.message) < 10_000
    assert len(outcome.failure.traceback) < 30_000


@pytest.mark.spec("SANDBOX 7.1")
def test_groups_and_notes_are_shown(run: Run) -> None:
    source = """
e = ValueError("one")
e.add_note("a note")
raise ExceptionGroup("many", [e, TypeError("two")])
"""
    outcome = run(source)
    assert outcome.failure is not None
    for text in ("many (2 sub-exceptions)", "ValueError: one", "a note", "TypeError: two"):
        assert text in outcome.failure.traceback


@pytest.mark.spec("SANDBOX 7.2")
def test_a_syntax_error_points_at_the_column(run: Run) -> None:
    outcome = run("x = 1\ny = (2 +\nz = 3")
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.line) == ("syntax", 2)
    assert "    y = (2 +\n        ^\n" in outcome.failure.traceback


@pytest.mark.spec("SANDBOX 5.1")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("sys.exit()", None),
        ("sys.exit(0)", None),
        ("raise SystemExit", None),
        ("sys.exit(3)", "SystemExit: 3"),
        ("sys.exit('no data')", "SystemExit: no data"),
    ],
)
def test_an_exit_is_an_end_unless_it_names_a_failure(
    run: Run, call: str, message: str | None
) -> None:
    outcome = run(f"import sys\nprint('a')\n{call}\nprint('b')")
    assert outcome.stdout == "a\n"
    assert (outcome.failure and outcome.failure.message) == message


@pytest.mark.spec("SANDBOX 5.1")
def test_input_says_that_nobody_answers(run: Run) -> None:
    outcome = run("input('name? ')")
    assert outcome.failure is not None
    assert outcome.failure.exception == "EOFError"
    assert "nobody" in outcome.failure.message


@pytest.mark.spec("SANDBOX 7.3")
def test_output_cannot_steer_a_terminal_or_break_a_log(run: Run) -> None:
    outcome = run("print('\\ud800 \\x1b[31m \\0 \\x9b é \\t')")
    assert outcome.failure is None
    assert outcome.stdout == "\\ud800 \\x1b[31m \\x00 \\x9b é \t\n"
    outcome = run("raise ValueError('\\x1b]0;x\\x07 \\ud800')")
    assert outcome.failure is not None
    assert "\x1b" not in outcome.failure.message + outcome.failure.traceback


@pytest.mark.spec("SANDBOX 3.1")
def test_memory_ends_as_an_error_in_the_program_while_it_can(run: Run) -> None:
    caught = run("try:\n    x = 'a' * (1 << 40)\nexcept MemoryError:\n    print('caught')")
    assert caught.stdout == "caught\n"
    outcome = run("x = []\nwhile True:\n    x.append('a' * 1_000_000)")
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("memory_limit", "memory_bytes")
    assert outcome.failure.line == 3


@pytest.mark.spec("SANDBOX 3.2")
@pytest.mark.parametrize(
    "source",
    [
        "print('a')\n9 ** 9 ** 9",
        "print('a')\nimport itertools\nsum(itertools.count())",
        "print('a')\nimport re\nre.match('(a+)+$', 'a' * 64 + 'b')",
        "print('a')\nwhile True:\n    pass",
        "print('a')\nclass E(Exception):\n    def __str__(self):\n        while True:\n            pass\nraise E()",
        "print('a')\nwhile True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    ],
)
def test_nothing_runs_past_the_wall_clock(run: Run, source: str) -> None:
    outcome = run(source, limits=Limits(wall_s=0.5))
    assert outcome.failure is not None
    assert outcome.failure.kind in ("timeout", "memory_limit")
    assert outcome.stdout == "a\n"


@pytest.mark.spec("CODE_MODE 2.4")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("b'x'", "bytes"),
        ("{1}", "set"),
        ("float('inf')", "infinities"),
        ("{1: 2}", "keys"),
        ("object()", "object"),
    ],
)
def test_a_returned_value_that_is_not_json_is_invalid_output(
    run: Run, value: str, said: str
) -> None:
    outcome = run(f"print('a')\nreturn {value}")
    assert outcome.failure is not None
    assert outcome.failure.kind == "invalid_output"
    assert said in outcome.failure.message
    assert outcome.stdout == "a\n"


@pytest.mark.spec("SANDBOX 5.3", "CODE_MODE 2.4")
@pytest.mark.parametrize("source", ["{1}", "result = object()", "import re\nre.compile('a')"])
def test_a_last_value_that_is_not_json_and_the_only_answer_is_invalid_output(
    run: Run, source: str
) -> None:
    outcome = run(source)
    assert outcome.failure is not None
    assert outcome.failure.kind == "invalid_output"


@pytest.mark.spec("SANDBOX 5.3")
def test_a_silent_program_s_last_value_is_its_result_in_every_guest(run: Run) -> None:
    # Some guests have rehearsed before, and some have not.
    assert [run("x = 1").result for _ in range(10)] == [1] * 10


def test_a_last_value_that_is_not_json_after_output_is_only_a_notice(run: Run) -> None:
    outcome = run("print('a')\n{1}")
    assert outcome.failure is None
    assert not outcome.has_result
    assert "not JSON" in outcome.notices[0]


@pytest.mark.spec("SANDBOX 3.1", "CODE_MODE 2.4")
@pytest.mark.parametrize(
    ("source", "limit"),
    [
        ("open('a', 'wb').write(b'x' * 2_000_000)", "scratch_bytes"),
        ("for i in range(100):\n    open(str(i), 'w').close()", "scratch_files"),
    ],
)
def test_an_uncaught_scratch_limit_is_a_limit_by_name(run: Run, source: str, limit: str) -> None:
    outcome = run(
        source, files={"in.txt": b""}, limits=Limits(scratch_bytes=1_000_000, scratch_files=50)
    )
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("limit", limit)
    assert outcome.failure.line is not None
    assert any("scratch files" in notice for notice in outcome.notices)


def test_a_caught_scratch_limit_is_told_as_a_notice(run: Run) -> None:
    source = "try:\n    open('a', 'wb').write(b'x' * 2_000_000)\nexcept OSError:\n    pass"
    outcome = run(source, files={"in.txt": b""}, limits=Limits(scratch_bytes=1_000_000))
    assert outcome.failure is None
    assert "scratch_bytes" in outcome.notices[0]


@pytest.mark.spec("SANDBOX 3.1")
@pytest.mark.parametrize("source", ["return ['y' * 1_000_000] * 2_000"])
def test_memory_that_is_gone_while_the_end_is_told_is_a_memory_limit(run: Run, source: str) -> None:
    outcome = run(source, limits=Limits(result_bytes=1 << 30, memory_bytes=64 << 20))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("memory_limit", "memory_bytes")


def test_too_large_a_result_names_the_limit(run: Run) -> None:
    outcome = run("return 'x' * 2_000_000", limits=Limits(result_bytes=1_000_000))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.limit) == ("limit", "result_bytes")


def test_one_run_leaves_nothing_for_the_next(run: Run) -> None:
    assert run("import json\nleft = 1\nreturn 1").failure is None
    outcome = run("try:\n    left\nexcept NameError:\n    return 'gone'")
    assert outcome.result == "gone"


@pytest.mark.spec("SANDBOX 1.7")
def test_set_order_is_the_same_in_every_run(run: Run) -> None:
    source = "return list({'alpha', 'beta', 'gamma', 'delta', None})"
    source = source.replace("None", "'epsilon'")
    assert run(source).result == run(source).result


def test_random_numbers_differ_between_runs_and_repeat_with_a_seed(run: Run) -> None:
    source = "import random, secrets, uuid\nreturn [random.random(), secrets.token_hex(4), str(uuid.uuid4())]"
    free = [run(source).result for _ in range(2)]
    seeded = [run(source, seed=7).result for _ in range(2)]
    assert free[0] != free[1]
    assert seeded[0] == seeded[1]
    for a, b in zip(free[0], free[1], strict=True):  # type: ignore[arg-type]  # lists of three
        assert a != b


CLOCKED = """
import datetime, time
from datetime import date, datetime as dt, timedelta, timezone
moment = dt.now(timezone.utc)
assert type(moment) is type(dt(2020, 1, 1)) and isinstance(moment, dt) and isinstance(moment, date)
assert dt.fromisoformat("2020-01-02").day == 2 and dt.strptime("2020", "%Y").year == 2020
print(moment.year, dt.utcnow().year, date.today().year, time.gmtime().tm_year, repr(moment)[:22])
print(time.strftime("%Y"), (moment + timedelta(days=1)).month, int(time.time() - 1_000_000_000) < 60)
"""


def test_a_clock_of_its_own_is_what_every_clock_of_the_program_says(run: Run) -> None:
    outcome = run(Program(source=CLOCKED, clock=1_000_000_000.0))
    assert outcome.failure is None, outcome.failure
    assert outcome.stdout == "2001 2001 2001 2001 datetime.datetime(2001\n2001 9 True\n"
