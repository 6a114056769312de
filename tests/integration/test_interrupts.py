"""Ctrl-C on the command line, whenever it comes: status 130, and what a program had done by then."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from codemode.runtime.log import open_store, read_events

#: Runs `codemode`, and presses Ctrl-C as soon as it begins to import a module.
PRESS = """
import os, signal, sys

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            del sys.argv[1]
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
from codemode.__main__ import main
main()
"""

SHOP = """
import sys
from codemode import tool

@tool
async def order(item: str) -> str:
    return "ordered " + item

@tool
async def told() -> str:
    print("told", file=sys.stderr, flush=True)
    return "told"
"""

LONG = """
import time
print(tools.order(item='pear'))
tools.told()
time.sleep(60)
"""


@pytest.mark.parametrize("module", ["typer", "pydantic", "codemode.sandbox.local"])
def test_while_it_loads(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRESS, module, "--version"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_who_ignores_it_is_not_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRESS, "typer", "--version"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN) and None,
    )
    assert done.returncode == 0, done.stderr


def test_while_a_person_is_asked(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "program.py").write_text("tools.order(item='pear')")
    (tmp_path / "rules.toml").write_text("default = 'ask'")
    arguments = ["run", "program.py", "--tools", "shop:order", "--rules", "rules.toml"]
    keyboard, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "codemode", *arguments, "--approve", "ask"],
        cwd=tmp_path,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
    ) as running:
        os.close(terminal)
        shown = b""
        while b"in this run: " not in shown:
            shown += os.read(keyboard, 4_096)
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
    os.close(keyboard)


@pytest.mark.spec("CODE_MODE 2.5")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_program_in_mid_run_says_what_it_has_done(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "program.py").write_text(LONG)
    tools = ["--tools", "shop:order", "--tools", "shop:told"]
    arguments = ["run", "program.py", *tools, "--log", "log.jsonl"]
    with subprocess.Popen(
        [sys.executable, "-m", "codemode", *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Whoever runs the tests may ignore it, and what is ignored is inherited.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL) and None,
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "told\n"
        running.send_signal(number)
        told, _ = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert f"the program failed (abort): interrupted by {number.name}" in told
    assert "ordered pear" in told
    assert "- call 1: order (completed)" in told
    with contextlib.closing(open_store(tmp_path / "log.jsonl", read_only=True)) as store:
        kinds = [event.type for event in read_events(store, *store.sessions())]
    assert kinds[-3:] == ["tool/result", "turn/close", "session/close"]
