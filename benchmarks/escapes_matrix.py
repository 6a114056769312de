"""The attacks of a folder and our own, on every interpreter, at every level and for every kind of user.

    python -m benchmarks.escapes_matrix FOLDER [--python EXE[=MODULES]]... [--setup NAME]... [--no-own]

One line a cell: the interpreter, the setup, the level that its sandbox proved, what was contained of
FOLDER (see `benchmarks.escapes`) and of `tests/escape`. Setups: `root`; `root-B`, where no user
namespace can be made, as in a plain container; `user`; `user-B`. A `user` is the id 65534 without
capabilities, or, where that id cannot read the interpreter, the caller in a user namespace that
maps it to 65534. EXE=MODULES puts a folder of installed modules on the interpreter's path. One cell
runs at a time. Needs root, and `unshare` and `setpriv` of util-linux.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
NOBODY: Final = "65534"
#: Makes a user namespace in which no further one can be made, as many containers have it.
WITHOUT: Final = (
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-c",
    'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"',
    "sh",
)
DROPPED: Final = ("setpriv", "--inh-caps=-all", "--bounding-set=-all")
AS_NOBODY: Final = (
    "setpriv",
    f"--reuid={NOBODY}",
    f"--regid={NOBODY}",
    "--clear-groups",
    "--inh-caps=-all",
    "env",  # what it starts has no capability left to find the interpreter with
)
#: Lines of faults that are shown of one cell.
MOST_FAULTS: Final = 10
MAPPED: Final = ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}")
SETUPS: Final = ("root", "root-B", "user", "user-B")
TIMEOUT_S: Final = 900


@dataclass(frozen=True, slots=True)
class Cell:
    """One interpreter in one setup."""

    python: str
    setup: str
    level: str
    given: str
    own: str
    faults: tuple[str, ...]


def prefix(setup: str, executable: str) -> tuple[str, ...]:
    """The command in front of the interpreter."""
    if setup == "root":
        return ()
    if setup == "root-B":
        return WITHOUT
    can_read = run([*AS_NOBODY, executable, "-c", ""], {}).returncode == 0
    as_user = AS_NOBODY if can_read else MAPPED
    # In the namespace of `WITHOUT` the caller is root again, so its capabilities go.
    return as_user if setup == "user" else (*(AS_NOBODY if can_read else ()), *WITHOUT, *DROPPED)


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """One command to its end, in the project's folder."""
    return subprocess.run(  # our own words
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def cell(folder: Path, python: str, setup: str, *, has_own: bool) -> Cell:
    """Run everything in one setup."""
    executable, _, modules = python.partition("=")
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), modules)))
    environment = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    before = [*prefix(setup, executable), executable]
    version = run([executable, "-c", "import sys; print(sys.version.split()[0])"], {}).stdout
    required = "B" if setup.endswith("B") else "A"
    done = run(
        [*before, "-m", "benchmarks.escapes", str(folder), "--json", "--isolation", required],
        environment,
    )
    faults: list[str] = []
    try:
        found: dict[str, Any] = json.loads(done.stdout)
        met = found["met"]
        bad = [
            f"{m['id']} {m['verdict']}: {m['detail']}" for m in met if m["verdict"] != "contained"
        ]
        level, given = found["level"], f"{len(met) - len(bad)}/{len(met)}"
        faults += bad
    except (ValueError, KeyError):
        level, given = "?", "no result"
        faults.append(done.stderr.strip()[-300:])
    own = "-"
    if has_own:
        tests = [*before, "-m", "pytest", "tests/escape", "-q", "-p", "no:cacheprovider"]
        done = run(tests, environment)
        ends = r"(\d+) (passed|failed|errors?|skipped)"
        counts = {word: int(number) for number, word in re.findall(ends, done.stdout)}
        own = f"{counts.get('passed', 0)}/{sum(counts.values())}"
        faults += re.findall(r"^(?:FAILED|ERROR) .*$", done.stdout, re.MULTILINE)
        if not counts:
            faults.append((done.stdout + done.stderr).strip()[-300:])
    return Cell(version.strip(), setup, level, given, own, tuple(faults))


def main() -> int:
    """Exit status 0 when everything is contained everywhere."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", action="append")
    parser.add_argument("--setup", action="append", choices=SETUPS)
    parser.add_argument("--no-own", action="store_true")
    options = parser.parse_args()
    folder = options.folder.resolve()
    print(f"{'python':<10}{'setup':<10}{'level':<8}{'folder':<12}own")
    faults = 0
    for python in options.python or [sys.executable]:
        for setup in options.setup or SETUPS:
            one = cell(folder, python, setup, has_own=not options.no_own)
            print(
                f"{one.python:<10}{one.setup:<10}{one.level:<8}{one.given:<12}{one.own}", flush=True
            )
            for fault in one.faults[:MOST_FAULTS]:
                print(f"    {fault}", flush=True)
            faults += len(one.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
