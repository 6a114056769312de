"""The `codemode` command as a process of its own, in a folder of the test's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def codemode(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end, without a terminal."""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    environment.pop("PYTHONSAFEPATH", None)  # modules of the folder are found
    return subprocess.run(
        [sys.executable, "-m", "codemode", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
