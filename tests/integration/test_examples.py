"""Every example runs, and prints what people have read and found right (tests/integration/golden)."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import golden
import pytest
from console import inherited

import codemode

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"

#: Each example with the behaviours that its output proves.
EXAMPLES = {
    "policy": ("PIPELINE 6.1", "PIPELINE 6.2", "PIPELINE 6.17"),
    "guard": ("PIPELINE 6.4", "PIPELINE 6.22"),
    "wrapper": ("PIPELINE 6.5", "PIPELINE 6.8", "PIPELINE 8.5"),
    "finaliser": ("PIPELINE 6.10", "PIPELINE 6.11", "PIPELINE 6.20"),
    "collector": ("PIPELINE 6.12", "PIPELINE 6.21"),
    "approval_channel": (
        "PIPELINE 7.2", "PIPELINE 7.3", "PIPELINE 7.5", "PIPELINE 7.6", "CODE_MODE 6.7",
    ),
    "contexts": ("PIPELINE 9.1", "CODE_MODE 4.1", "CODE_MODE 4.2", "CODE_MODE 6.9"),
    "stop_and_defer": ("PIPELINE 6.1", "PIPELINE 6.15", "PIPELINE 9.4"),
    "sub_agent": ("PIPELINE 4.1", "PIPELINE 4.3", "PIPELINE 4.8"),
    "legacy_tool": ("PIPELINE 1.7", "PIPELINE 2.3", "PIPELINE 2.9"),
    "audit_walk": ("AUDIT 2.1", "AUDIT 2.2", "AUDIT 2.4", "AUDIT 3.2"),
    "agent_modes": ("CODE_MODE 1.1", "CODE_MODE 1.3"),
}  # fmt: skip

PROGRAMS = {
    "paging": ("CODE_MODE 2.3",),
    "fan_out": ("CODE_MODE 3.5", "CODE_MODE 3.7"),
    "caught_denial": ("CODE_MODE 3.4", "CODE_MODE 3.7"),
    "racing": ("CODE_MODE 3.5", "CODE_MODE 5.1"),
    "ledger": ("CODE_MODE 2.4", "CODE_MODE 2.5"),
    "after_the_ledger": ("CODE_MODE 5.4",),
}


def example(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The example's module, found as `python -m examples.NAME` finds it."""
    monkeypatch.syspath_prepend(str(ROOT))  # pyright: ignore[reportUnknownMemberType] -- untyped there
    is_folder = (ROOT / "examples" / name).is_dir()
    return importlib.import_module(f"examples.{name}.__main__" if is_folder else f"examples.{name}")


@pytest.mark.anyio
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.spec(*refs)) for name, refs in EXAMPLES.items()]
)
async def test_an_example_prints_what_it_says(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await example(name, monkeypatch).main()
    printed = capsys.readouterr()
    golden.check(GOLDEN / f"{name}.txt", printed.out)
    assert printed.err == ""


@pytest.mark.anyio
@pytest.mark.spec(*sorted({ref for refs in PROGRAMS.values() for ref in refs}))
async def test_the_model_reads_of_each_program_what_the_gallery_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gallery = example("gallery", monkeypatch)
    assert set(gallery.PROGRAMS) == set(PROGRAMS)
    for name, text in (await gallery.show()).items():
        golden.check(GOLDEN / f"program_{name}.txt", text + "\n")


#: A history with known hashes, for the example that reports on a repository.
HISTORY = """
git init --quiet --initial-branch=main
git config user.name Ada
git config user.email ada@example.org
mkdir runtime docs
printf 'one\ntwo\n' > runtime/engine.py && git add . && git commit --quiet -m 'Add the engine'
printf 'one\n2\nthree\n' > runtime/engine.py && git commit --quiet -a -m 'Count on'
printf 'words\n' > docs/words.md && git add . && git commit --quiet -m 'Say what it is'
"""


@pytest.mark.spec("CODE_MODE 3.5", "CODE_MODE 3.7", "AUDIT 2.1", "AUDIT 2.2")
def test_the_report_of_a_repository_is_made_over_a_real_server_and_its_log_verifies(
    tmp_path: Path,
) -> None:
    pytest.importorskip("mcp_server_git")
    moment = "2031-05-01T12:00:00Z"
    environment = {
        **inherited(),
        "GIT_AUTHOR_DATE": moment,
        "GIT_COMMITTER_DATE": moment,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(codemode.__file__).parents[1]}",
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    subprocess.run(["sh", "-ec", HISTORY], cwd=tmp_path, env=environment, check=True)
    done = subprocess.run(
        [sys.executable, "-m", "examples.repo_report"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    golden.check(GOLDEN / "repo_report.txt", _without_chance(done.stdout))


def _without_chance(text: str) -> str:
    """Isolation, ids, times and digests differ from run to run, and nothing else does."""
    for pattern, shown in (
        (r"isolation: level \S+", "isolation: level A"),
        (r"\bs_\d{14}_[0-9a-f]{8}\b", "SESSION"),
        (r"\bcall_[0-9a-f]{16}\b", "CALL"),
        (r"\b[0-9a-f]{64}\b", "DIGEST"),
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", "TIME"),
        (r" +[\d.]+ (?:us|ms|s)\n", "\n"),
    ):
        text = re.sub(pattern, shown, text)
    return text


def test_every_example_has_a_test_and_says_how_to_run_it() -> None:
    folder = ROOT / "examples"
    files = {path.stem: path for path in folder.glob("*.py") if path.stem[0] != "_"}
    programs = {path.parent.name: path for path in folder.glob("*/__main__.py")}
    assert files.keys() | programs.keys() == EXAMPLES.keys() | {"gallery", "repo_report"}
    index = (folder / "README.md").read_text(encoding="utf-8")
    for name, path in (files | programs).items():
        text = path.read_text(encoding="utf-8")
        assert re.search(rf"python -m examples\.{name}\b", text), name
        assert f"]({path.relative_to(folder)})" in index, name
