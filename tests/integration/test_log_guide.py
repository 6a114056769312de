"""Every command of docs/audit.md prints what the page says, on the log that it names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import codemode

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "audit.md").read_text()
SHIM = '#!/bin/sh\nexec "{python}" -c "from codemode.runtime.cli import main; main()" "$@"\n'


def sessions() -> list[tuple[str, str]]:
    """Each command of the page with the output that follows it."""
    blocks = re.findall(r"```console\n(.*?)```", GUIDE, re.DOTALL)
    commands = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)]
    pairs = (command.partition("\n") for command in commands if command)
    return [(command, output) for command, _, output in pairs]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("guide")
    shim = folder / "bin" / "codemode"
    shim.parent.mkdir()
    shim.write_text(SHIM.format(python=sys.executable))
    shim.chmod(0o755)
    log = ROOT / "tests" / "histories" / "v1.jsonl"
    (folder / "session.jsonl").write_bytes(log.read_bytes())
    return folder


@pytest.mark.spec("AUDIT 2.1", "AUDIT 2.2")
def test_the_commands_of_the_guide_print_what_it_says(folder: Path) -> None:
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(codemode.__file__).parents[1]),
        "COLUMNS": "80",
        "PYTHONIOENCODING": "utf-8",
    }
    assert len(sessions()) >= 10
    for command, expected in sessions():
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout == expected, f"{command}\n{done.stderr}"


@pytest.mark.spec("AUDIT 1.3")
def test_an_outside_verifier_needs_only_the_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)[0]
    monkeypatch.chdir(folder)
    with open("session.jsonl") as log:
        lines = log.read()
    run = program.replace('open("session.jsonl").read()', "LINES")
    exec(run, {"LINES": lines})
    with pytest.raises(AssertionError):
        exec(run, {"LINES": lines.replace('"denied"', '"ok"')})
