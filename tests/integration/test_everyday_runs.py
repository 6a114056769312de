"""What ordinary programs meet only in a guest: arguments, streams, log files, threads."""

from __future__ import annotations

import pytest

from codemode.sandbox import Sandbox

PROGRAM = """
import argparse, sys
parser = argparse.ArgumentParser()
parser.add_argument("name", nargs="?", default="nobody")
print(sys.argv, parser.parse_args().name)
sys.argv = ["tool", "somebody"]
print(parser.parse_args().name)
"""


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 5.4")
async def test_a_program_has_no_arguments_but_its_own() -> None:
    async with Sandbox() as sandbox:
        for _ in range(2):
            outcome = await sandbox.run(PROGRAM)
            assert outcome.stdout == "['program.py'] nobody\nsomebody\n"


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 7.1")
async def test_print_names_itself_in_its_errors() -> None:
    async with Sandbox() as sandbox:
        outcome = await sandbox.run("print(1, colour=2)")
        assert outcome.failure is not None
        assert "print() got an unexpected keyword argument 'colour'" in outcome.failure.message


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 5.5")
async def test_log_files_are_scratch_files() -> None:
    async with Sandbox() as sandbox:
        outcome = await sandbox.run(
            "import logging, logging.handlers\n"
            "a = logging.FileHandler('a.log')\nb = logging.handlers.RotatingFileHandler('b.log', maxBytes=8, backupCount=1)\n"
            "log = logging.getLogger('files')\nlog.propagate = False\n"
            "log.addHandler(a)\nlog.addHandler(b)\nlog.warning('one')\nlog.warning('second')\n"
            "logging.shutdown()\nprint(open('a.log').read(), open('b.log').read(), open('b.log.1').read())",
            artifacts=["*.log"],
        )
        assert outcome.stdout == "one\nsecond\n second\n one\n\n", outcome.failure
        assert outcome.artifacts["a.log"] == b"one\nsecond\n"


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 5.4", "SANDBOX 6.5")
async def test_a_thread_takes_its_public_attributes() -> None:
    async with Sandbox() as sandbox:
        outcome = await sandbox.run(
            "import threading\nt = threading.Thread(target=print, args=('ran',))\n"
            "t.daemon = True\nt.name = 'worker'\nt.start()\nt.join()\nprint(t.daemon, t.name)"
        )
        assert outcome.stdout == "ran\nTrue worker\n", outcome.failure
        for refused in ("t._target", "t._target = print", "t.__dict__"):
            outcome = await sandbox.run(f"import threading\nt = threading.Thread()\n{refused}")
            assert outcome.failure is not None
            assert "refused" in outcome.failure.message


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 5.1", "SANDBOX 5.4")
async def test_a_program_may_put_its_own_text_in_place_of_the_input() -> None:
    async with Sandbox() as sandbox:
        outcome = await sandbox.run(
            "import io, sys\nsys.stdin = io.StringIO('one\\ntwo')\nprint(input(), input('? '))\n"
            "sys.stdin = sys.__stdin__\nsys.stdout = io.StringIO()\nprint('lost')\n"
            "sys.stdout = sys.__stdout__\nprint('back')\ninput()"
        )
        assert outcome.stdout == "? one two\nback\n"
        assert outcome.failure is not None
        assert outcome.failure.exception == "EOFError"


@pytest.mark.anyio
@pytest.mark.spec("SANDBOX 5.1")
async def test_what_stands_in_for_the_library_has_the_library_s_name() -> None:
    async with Sandbox() as sandbox:
        outcome = await sandbox.run(
            "import sys, threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
            "print(type(sys.stdout), threading.Thread, type(threading.Lock()), ThreadPoolExecutor)"
        )
        assert outcome.stdout == (
            "<class '_io.TextIOWrapper'> <class 'threading.Thread'> <class '_thread.lock'>"
            " <class 'concurrent.futures.thread.ThreadPoolExecutor'>\n"
        )
