"""The example of the three modes runs as its docstring says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.spec("CODE_MODE 1.1", "CODE_MODE 1.3")
def test_one_agent_in_three_modes_gives_one_answer_and_a_program_sends_the_least() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "examples.agent_modes"],
        cwd=ROOT,
        # The examples are found from the repository's root.
        env={name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = re.findall(
        r"^(native|code|both) +(\d+) +(\d+) +([\d,]+)  (.+)$", done.stdout, re.MULTILINE
    )
    assert [row[0] for row in rows] == ["native", "code", "both"]
    assert len({row[4] for row in rows}) == 1
    steps = {row[0]: int(row[1]) for row in rows}
    sent = {row[0]: int(row[3].replace(",", "")) for row in rows}
    assert steps == {"native": 4, "code": 2, "both": 3}
    assert sent["code"] < sent["both"] < sent["native"]
    assert "log: ok, 3 sessions" in done.stdout
