"""Commands as a person types them, in a folder of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import codemode as package

_SHIMS: Final = {
    "python": '#!/bin/sh\nexec "{python}" "$@"\n',
    "codemode": '#!/bin/sh\nexec "{python}" -m codemode "$@"\n',
}


def inherited() -> dict[str, str]:
    """This process's environment, but that the current folder is on a program's path."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}


def shell_environment(folder: Path) -> dict[str, str]:
    """`codemode` and `python` on the path, in `folder`; of the project only the package is there."""
    programs = folder / "bin"
    programs.mkdir()
    for name, text in _SHIMS.items():
        (programs / name).write_text(text.format(python=sys.executable))
        (programs / name).chmod(0o755)
    return {
        **inherited(),
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(package.__file__).parents[1]),
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONWARNINGS": "error",
    }


def typed(command: str, folder: Path, environment: dict[str, str]) -> str:
    """What a line of a shell prints, errors included."""
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    ).stdout


def codemode(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in `folder`, at 100 columns and without colours."""
    return subprocess.run(
        [sys.executable, "-m", "codemode", *arguments],
        cwd=folder,
        env={**inherited(), "COLUMNS": "100", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
